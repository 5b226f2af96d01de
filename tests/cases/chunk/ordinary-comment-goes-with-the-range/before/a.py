import os  # why
import sys
