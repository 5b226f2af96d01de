"""A small source file, and a function that applies a patch, for the tests of `author`."""

from __future__ import annotations

from collections.abc import Mapping

import anypatch
from anypatch import FormatName
from anypatch.api import format_given, formats

NAMES = [format.name for format in formats()]

CART = """class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)
        return self

    def total(self):
        amount = 0
        for item in self.items:
            amount += item.price
        return amount


class Empty:
    def total(self):
        return 0
"""


def applied(text: str, files: Mapping[str, str | bytes], format: FormatName) -> dict[str, str | bytes]:
    result = anypatch.apply_to(text, files, format=format_given(format))
    assert result.ok, (text, result.problems)
    return dict(result.files)


def can(name: str, what: str) -> bool:
    return what in anypatch.format_named(name).can
