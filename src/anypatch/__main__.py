"""`python -m anypatch`: the command line. Holds nothing of its own."""

from .cli import program

if __name__ == "__main__":
    program()
