"""From a cell's equations to the C text of a program that trains it and answers."""
