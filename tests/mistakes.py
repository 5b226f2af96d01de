"""A generator of the mistakes that models make: real changes of real files, written in each format, then spoilt.

Everything is drawn from a `random.Random`, so that a seed names a case. `cases(seed)` is the way in; `judge` tells what
became of one. The oracle: the right bytes, or a refusal with nothing touched.
"""

from __future__ import annotations

import random
import re
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import mistakes_in_hunks as in_hunks
import mistakes_in_text as in_text
import mistakes_written as written
from mistakes_model import Change, Piece, Splice, joined

import anypatch
from anypatch import Refused, engine
from anypatch.model import File, FileChange
