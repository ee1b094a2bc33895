"""What a trained model does with its memory: recorded step by step, as a table and as a picture."""
