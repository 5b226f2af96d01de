import os  # noqa
import sys
