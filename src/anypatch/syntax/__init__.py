"""Languages: their comments, strings, blocks, symbols and syntax errors. Knows no patch format and reads no file."""
