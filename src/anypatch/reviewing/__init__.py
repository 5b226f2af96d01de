"""A person decides what of an answer is kept: hunk by hunk, in the terminal or on a page, over one value."""
