"""How a model is asked, in a process of its own or in this one.

protocol    what evaluator and model say to each other   process     our side of the model's process
interfaces  reset + step, predict_batch, predict, ...    child       its own side
answers     what an answer means                         local_model a model of the program that asks it
waves       strings that advance together                scripts     what they are sent, view by view
ask         a wave, and what is left when strings fail   thresholds  of scores that are probabilities
failures    what went wrong, in one line                 loading     a model, for one run or for several at once
"""
