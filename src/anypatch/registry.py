"""The formats, found by being in their folder. Looks at that folder only; nothing else of the disk."""

from __future__ import annotations

import os
from importlib import import_module

from . import formats as _home
from .errors import Problem, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .model import Format


def names() -> tuple[str, ...]:
    """The names of all formats present."""
    return tuple(sorted(module.replace("_", "-") for module in _modules()))


def named(name: str) -> Format:
    """One format by its name; Refused with the nearest name where there is none."""
    module = name.strip().lower().replace("-", "_")
    if module not in _modules():
        raise Refused(_unknown(name))
    found: Format = import_module(f"{_home.__name__}.{module}").FORMAT
    return found


def _modules() -> set[str]:
    """Module files of the formats folder, without importing any."""
    files = os.listdir(os.path.dirname(_home.__file__))
    return {name[:-3] for name in files if name.endswith(".py") and not name.startswith("_")}


def _unknown(name: str) -> Problem:
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), names(), 1, 0.5)
    advice = f"Did you mean {near[0]}?" if near else f"The formats are: {', '.join(names())}."
    return Problem("unknown_format", f"{name!r} is no format of anypatch", advice=advice)
