"""Networks that are automata: products of higher order, a discrete stack, known automata as weights, and the way back."""
