"""Results as pictures: curves, errors, and models on tasks."""
