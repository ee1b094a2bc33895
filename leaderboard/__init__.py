"""How results compare: with published numbers, and with one another."""
