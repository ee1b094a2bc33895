"""Training a baseline, and what it leaves.

experiment     a baseline on a task, as in its paper or otherwise    loop           the recipe, for all runs at once
data           the rows that are learned from                        lanes          how many runs are computed at once
folder         the folder of a training                              record         what was trained, on what, and how
checkpoint     the parameters of all runs in one file                trained_model  what the evaluator asks
"""
