"""Many answers at once, each for files of its own, in memory: `Apply` for tables of any library.

`anypatch batch` runs it over files, on all cores (`run`).
"""

from .rows import Apply, Options

__all__ = ["Apply", "Options"]
