"""What models are made of: parameters, controllers, memories, and the cell that joins them."""
