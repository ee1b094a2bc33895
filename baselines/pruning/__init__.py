"""Stack RNNs without the stacks that they do not use: the search for these, and the folder of a run without them."""
