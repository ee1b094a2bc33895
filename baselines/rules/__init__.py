"""Learning rules: ways to the gradient of a string's loss, or to an estimate of it, over any cell."""
