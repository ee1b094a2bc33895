"""How right answers are, and what can be had without learning.

metrics     accuracies with intervals, by length and by depth
runs        those of all runs of a model, beside trivial answers
trivial     answers that need no learning
shortcuts   how far one gets in recognition without reading the strings
"""
