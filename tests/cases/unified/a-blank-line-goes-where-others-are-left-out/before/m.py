import os

import time
import sys

x = 1
