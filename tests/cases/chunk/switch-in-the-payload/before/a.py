import os  # noqa: F401
import sys
