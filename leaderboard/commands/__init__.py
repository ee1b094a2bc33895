"""The commands that compare results and show them, one file each."""
