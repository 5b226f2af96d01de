"""Rule `lines`: a quote of lines that the file has once gives way to the fence after it."""

from __future__ import annotations

from collections.abc import Sequence

from .definitions import Definition, outermost, parse_sketch
from .edits import LineEdit, Unplaced, common_indent, has_word, shifted, without_blank_ends
from .file import is_whole_file
from .source import SourceFile


def replace_quote(source: SourceFile, quote: Sequence[str], body: Sequence[str]) -> LineEdit:
    """Return the edit that replaces the only place of a quote."""
    places = source.places(quote)
    if len(places) != 1:
        raise Unplaced("the lines to replace are in the file more than once")
    start, stop = places[0]
    new = shifted(without_blank_ends(body), common_indent(quote), common_indent(source.lines[start:stop]))
    return LineEdit(start, stop, new)


def is_new_version(source: SourceFile, quote: Sequence[str], body: Sequence[str]) -> bool:
    """Return whether a fence below a quote of the file is its new version: they share a line or a defined name.

    A quote followed by an example of use, or by output, shares neither. Another function of the file may share a line,
    such as `try:`, and the whole file shares all of them, but these have a place of their own.
    """
    old, new = _shown(source.path, quote), _shown(source.path, body)
    names = {part.name for part in old}
    if any(part.name in source.named and part.name not in names and not part.is_value for part in new):
        return False
    if is_whole_file(source, body) and not is_whole_file(source, quote):
        return False
    lines = {line.strip() for line in quote if has_word(line)}
    return any(part.name in names for part in new) or any(line.strip() in lines for line in body)


def _shown(path: str, body: Sequence[str]) -> list[Definition]:
    """Return what a sketch defines at its top level."""
    return outermost(parse_sketch(path, shifted(body, common_indent(body), "")))
