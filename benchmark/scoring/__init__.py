"""How right answers are, and what can be had without learning.

metrics     accuracies with intervals, by length and by depth
trivial     answers that need no learning
shortcuts   how far one gets in recognition without reading the strings
"""
