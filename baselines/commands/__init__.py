"""The commands that train baselines and list them."""
