"""`python -m anypatch`: the command line. Holds nothing of its own."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
