"""How Sphinx makes pages of this folder: `make site`."""

project = "marnn-bench"
copyright = "the marnn-bench authors"
extensions = ["myst_nb"]
html_theme = "furo"
html_title = "marnn-bench"
exclude_patterns = ["reproduced"]
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
nb_execution_mode = "off"  # tools/quickstart.py has executed it, and a test compares
suppress_warnings = [
    "myst.xref_missing"
]  # links to folders of the source, which the pages leave out; a test follows all links
