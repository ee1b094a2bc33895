"""Evaluating a model on a split: what was asked, what came of it, and where that is kept.

evaluator   what is answered is kept, the result         source      the file or folder that is evaluated
answering   runs, side by side or one by one
audits      whether answers follow from the prefix      checks      the same in seconds, before an evaluation
results     the directory of a result                   samples     the answers in it, as a table
records     result.json, read                           provenance  what a result was made with
"""
