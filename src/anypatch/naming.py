"""Which file of the tree an operation means: as written, or as a model misspells paths, if only one file fits. Pure."""

from __future__ import annotations

from .errors import Problem, Refused
from .model import Note
from .record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from .model import File

    class Tree(Protocol):
        """What files are read from. A directory, a dictionary, anything; never written to."""

        def canonical(self, path: str) -> str:
            """The one name of the file that a path means; raises Refused for a path that may not be touched."""

        def read(self, path: str) -> File | None:
            """The file under its canonical name, None where there is none."""

        def ending(self, path: str) -> tuple[str, ...]:
            """The files whose path ends in this one, by whole names."""

        def suggest(self, path: str) -> tuple[str, ...]:
            """Existing files that may have been meant."""


class Named(NamedTuple):
    """The path meant, and a note where it isn't the path written."""

    path: str
    notes: tuple[Note, ...] = ()


def meant(path: str, tree: Tree, exists: Callable[[str], bool]) -> Named:
    """The existing file that a path means; the path itself where none does."""
    plain = tree.canonical(path)
    if exists(plain):
        return Named(plain)
    for found in _spelt(path, tree):
        if exists(found):
            return Named(found, (Note(f"{path} was read as {found}", found),))
    return _by_ending(path, plain, tree)


def rewritten(path: str, text: str, tree: Tree, read: Callable[[str], str | None]) -> Named:
    """The existing file that whole contents under a path that isn't there are meant for; else the path itself.

    A path with backslashes can't be made, so it means the file that it spells. Another one may be a new file: it means
    an existing one that is named alike only if the contents are mostly the same, and where they are so in part or for
    several files, nobody can tell.
    """
    plain = tree.canonical(path)
    spelt = [other for other in _spelt(path, tree) if "\\" not in other]
    there = [other for other in spelt if read(other) is not None]
    if there and "\\" in path:
        return Named(there[0], (Note(f"{path} was read as {there[0]}", there[0]),))
    ends = tree.ending(spelt[0] if "\\" in path and spelt else plain)
    alike = {other: _likeness(text, read(other) or "") for other in dict.fromkeys((*there, *ends))}
    close = [other for other, share in alike.items() if share > 0]
    if len(close) == 1 and alike[close[0]] == 2:
        why = f"{path} was read as {close[0]}, the only file that is named and reads alike"
        return Named(close[0], (Note(why, close[0]),))
    if close:
        detail = f"{path} doesn't exist, and it isn't clear whether it is new or means {' or '.join(close[:8])}"
        raise Refused(Problem("ambiguous", detail, path, advice="Write the whole path."))
    return Named(plain)


def _likeness(text: str, other: str) -> int:
    """2: at least half of the longer text's lines stand in the other, 1: a third of the shorter one's, 0: less."""
    one, two = ({line.strip() for line in each.split("\n") if line.strip()} for each in (text, other))
    common = len(one & two)
    if common > 1 and common >= 0.5 * max(len(one), len(two)):
        return 2
    return int(common > 1 and common >= 0.3 * min(len(one), len(two)))


def _by_ending(path: str, plain: str, tree: Tree) -> Named:
    """A path that lost its first folders, if one file only ends like it."""
    for other in (plain, *_spellings(path)):
        found = tree.ending(other) if "\\" not in other else ()
        if len(found) == 1:
            return Named(found[0], (Note(f"{path} was read as {found[0]}, the only file that ends so", found[0]),))
        if len(found) > 1:
            detail = f"{path} doesn't exist, and several files end so: {', '.join(found[:8])}"
            raise Refused(Problem("ambiguous", detail, path, advice="Write the whole path."))
    return Named(plain)


def _spelt(path: str, tree: Tree) -> list[str]:
    """The names that other spellings of a path mean."""
    found = []
    for other in _spellings(path):
        try:
            found.append(tree.canonical(other))
        except Refused:
            continue
    return found


def _spellings(path: str) -> list[str]:
    """The path without quotes, git's prefixes, backslashes."""
    bare = path.strip(" \t`'\"*")
    slashed = bare.replace("\\", "/")
    found = [bare, slashed]
    found += [other[2:] for other in (bare, slashed) if other[:2] in ("a/", "b/")]
    return [other for number, other in enumerate(found) if other and other != path and other not in found[:number]]


def blocking(path: str, is_file: Callable[[str], bool]) -> str:
    """A file that stands where the path needs a folder; "" if there is none."""
    parts = path.split("/")
    return next((above for i in range(1, len(parts)) if is_file(above := "/".join(parts[:i]))), "")
