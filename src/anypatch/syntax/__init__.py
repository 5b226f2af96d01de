"""What a language says about comments, strings and blocks. Pure; knows no patch format and no file system."""
