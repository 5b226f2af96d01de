"""Columns as servers count them and as we do: UTF-16 units unless both sides agreed on something else. Pure."""

from __future__ import annotations

OFFERED = ("utf-8", "utf-16", "utf-32")


def units(text: str, unit: str) -> int:
    """How many units a piece of a line has."""
    if text.isascii() or unit == "utf-32":
        return len(text)
    if unit == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def characters(line: str, column: int, unit: str) -> int:
    """How many characters of a line stand before a column; one behind the end of the line means the end."""
    if line.isascii() or unit == "utf-32":
        return min(column, len(line))
    if unit == "utf-8":
        return len(line.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "replace"))
    return len(line.encode("utf-16-le", "surrogatepass")[: 2 * column].decode("utf-16-le", "surrogatepass"))


def converted(line: str, column: int, unit: str, wanted: str) -> int:
    """A column in another unit."""
    if unit == wanted or line.isascii():
        return min(column, len(line)) if line.isascii() else column
    return units(line[: characters(line, column, unit)], wanted)
