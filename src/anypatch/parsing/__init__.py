"""What formats share in reading: fences, paths, YAML and JSON as models write them, marks for left-out code."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text, as the vocabularies of the readers are written down."""
    return frozenset(text.split())
