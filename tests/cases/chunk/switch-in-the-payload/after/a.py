import re  # noqa
import sys
