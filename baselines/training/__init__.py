"""Training a baseline, and what it leaves.

experiment     a baseline on a task, as in its paper or otherwise    loop           the recipe, for all runs at once
data           the rows that are learned from                        lanes          how many runs are computed at once
batches        the strings of an update                              optimisation   losses and optimisers
state          a training that is stopped and goes on                record         what was trained, on what, and how
folder         the folder of a training                              checkpoint     the parameters of all runs in one file
trained_model  what the evaluator asks                               accuracy       how much of the train split is right
"""
