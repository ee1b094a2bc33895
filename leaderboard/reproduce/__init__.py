"""Papers' tables made anew, and grids around them: every row trained and evaluated.

tables    which there are            entries  a row: its training and its evaluation
workers   many rows side by side     records  what came out, beside what the paper prints
printing  tables of it               picture  a grid as a picture
positions closing brackets by position
"""
