"""Who stands where: entries, their scores above trivial answers, and ranks that noise allows.

entries   what each model was found to do, and who vouches for it
groups    which tasks are averaged: the core suite, a class, a view, a task
scores    an entry's score in a group, with its 95 % interval
ranks     between which places an entry stands
rankings  the lines of a group, in order           tables  the same, printed
"""
