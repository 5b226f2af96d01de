"""Patches that name files by where they are on the machine: those in the root are named from there. Writes nothing."""

from __future__ import annotations

from os.path import abspath, realpath

from .model import Move, Patch
from .uris import inside


def rooted(patch: Patch, root: str) -> Patch:
    """The patch with paths relative to the root; what is outside of it stays absolute, and is refused as such."""
    roots = (realpath(root), abspath(root))
    moved = [op._replace(path=inside(op.path, roots)) for op in patch.ops]
    return patch._replace(
        ops=tuple(op._replace(to=inside(op.to, roots)) if isinstance(op, Move) else op for op in moved)
    )
