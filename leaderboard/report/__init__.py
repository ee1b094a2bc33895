"""Results as a page that people read: figures, pictures, and strings that went wrong."""
