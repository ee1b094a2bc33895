"""Tasks as people see them: described in words, with examples, drawn, and all on one page."""
