"""The strategies: one a file, each its reader and its splitter class."""
