"""The compiled engine: training and evaluation by C that is generated from the cells' own equations."""
