"""Evaluating models, each in a process of its own.

evaluator   a model on a split: waves, runs, the result       checks      small batches, before that
waves       strings that advance together                     source      the file or folder that is evaluated
process     our side of the model's process                   child       its own side
protocol    what they say to each other                       interfaces  reset + step, predict_batch, predict
failures    what went wrong, in one line                      answers     what an answer means
results     the directory of a result                         provenance  what it was made with
local_model a model of the program that evaluates it
"""
