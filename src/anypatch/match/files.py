"""Which file of the tree an operation means: the path itself, in whatever spelling; elsewhere only by proof. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..model import Edit, File, Hunk, Inside, Note, Op, Said, split_lines
from ..problems import Problem, Refused
from ..similarity import keeps_most, share_lines

if TYPE_CHECKING:
    from typing import Protocol

    class Tree(Protocol):
        """What files are read from. A directory, a dictionary, anything; never written to."""

        def canonical(self, path: str) -> str:
            """The one name of the file that a path means; raises Refused for a path that may not be touched."""

        def read(self, path: str) -> File | None:
            """The file under its canonical name, None where there is none."""

        def all_paths(self) -> Collection[str]:
            """The paths of all files."""

        def ending(self, path: str) -> tuple[str, ...]:
            """The files whose path ends in this one, by whole names."""

        def suggest(self, path: str) -> tuple[str, ...]:
            """Existing files that may have been meant."""

        def alike(self, path: str) -> tuple[str, ...]:
            """Some files with the suffix of this one, to look for a text in that isn't where it should be."""

        def has_folder(self, path: str) -> bool:
            """Whether a folder of that name is there."""

        def link(self, path: str) -> tuple[str, str] | None:
            """Of a symbolic link its own path, all folders of it real, and where it points; None for all else."""


_TELLING = 24  # letters and digits of old lines that say which file they stand in


class Named(NamedTuple):
    """The path meant, in the spelling that leads to it, and a note where it isn't the path written."""

    path: str
    spelling: str
    notes: tuple[Note, ...] = ()


def spelt(path: str, tree: Tree, exists: Callable[[str], bool]) -> Named:
    """The existing file that a path means, once quotes, git's prefixes and backslashes are off; else the path itself.

    Where there is a folder `a`, `a/x.py` is a file in it, and nothing else.
    """
    plain = tree.canonical(path)
    if exists(plain):
        return Named(plain, path)
    for other, found in _others(path, tree):
        if exists(found):
            return Named(found, other, (Note(f"{path} was read as {found}", found),))
    return Named(plain, path)


def proven(op: Op, path: str, tree: Tree, read: Callable[[str], str | None], told: Collection[str]) -> Named | None:
    """The only file elsewhere that a path may mean that isn't there, if it holds the old lines of every hunk.

    `config.py` means vendor/lib/config.py only for an edit whose old lines stand there to the letter and in one
    place; so does `shop/src/cart.py` src/cart.py in a repository that is called shop. What is added, deleted, moved or
    edited by its number would do that to any file. Where no file is named like it, one that alone holds them will do,
    if it isn't `told` of: a patch that edits b.py by its name doesn't mean it by another.
    """
    if not isinstance(op, Edit) or not shows_old(op):
        return None
    olds = old_lines(op)
    found = elsewhere(path, tree)
    if len(found) > 1:
        detail = f"{path} doesn't exist, and several paths end in it: {', '.join(found[:8])}"
        raise Refused(Problem("ambiguous", detail, path, advice="Write the full path."))
    if found and not all(_holds(read(found[0]) or "", old) for old in olds):
        return None
    why = "the only file whose path ends like that; it contains the old lines"
    if not found and not takes_claims(op):
        return None
    if not found:
        found = tuple(tail for tail in _tails(path) if tree.read(tail) is not None)[:1]
        if found and not all(_holds(read(found[0]) or "", old) for old in olds):
            return None  # src/src/a.js is rather src/a.js, where they stand twice, than lib/a.js
        why = "which contains the old lines"
    if not found:
        found = holding(path, olds, tree, read)
        found = found if not any(other in told for other in found) else ()
        why = "the only file that contains the old lines"
    return (
        Named(found[0], found[0], (Note(f"{path} was read as {found[0]}, {why}", found[0]),))
        if len(found) == 1
        else None
    )


def holding(path: str, olds: list[list[str]], tree: Tree, read: Callable[[str], str | None]) -> tuple[str, ...]:
    """The files with the suffix of a path that hold all these lines, each in one place; none where they say little."""
    if min((sum(map(str.isalnum, "".join(old))) for old in olds), default=0) < _TELLING:
        return ()
    others = [other for other in tree.alike(path) if other != path]
    return tuple(other for other in others if all(_holds(read(other) or "", old) for old in olds))


def takes_claims(op: Edit) -> bool:
    """Whether the format of an edit lets the answer as a whole say where it goes."""
    return all(said.policy.names_decide for said in op.hunks)


def old_lines(op: Edit) -> list[list[str]]:
    """The lines that each part of an edit shows as they are."""
    return [_old(said) for said in op.hunks]


def shows_old(op: Op) -> bool:
    """Whether every part of an operation shows lines that must stand in the file, and that say more than a bracket."""
    if not isinstance(op, Edit) or not op.hunks:
        return False
    return all(any(map(_says_something, _old(said))) for said in op.hunks)


def elsewhere(path: str, tree: Tree) -> tuple[str, ...]:
    """The files in other folders whose path ends in this one, however it is spelt."""
    spellings = [other for other in (path, *_spellings(path)) if "\\" not in other]
    return tuple(dict.fromkeys(found for other in spellings for found in tree.ending(other.removeprefix("./"))))


def missing(path: str, tree: Tree) -> Problem:
    """What to say of a file that doesn't exist."""
    others = elsewhere(path, tree)[:3] or tree.suggest(path)
    advice = f"Did you mean {' or '.join(others)}?" if others else ""
    return Problem("file_missing", f"{path} doesn't exist", advice=advice)


def check_whole_path(
    path: str, text: str, tree: Tree, read: Callable[[str], str | None], told: Collection[str]
) -> None:
    """Refuse whole contents for a path that isn't there, where they read like those of a file that may be meant.

    Either that file is meant, or a new one: `./config.py` says that it is new. What `config.py` may mean are files in
    folders, `shop/src/cart.py` is src/cart.py in a repository that is called shop, `readme.md` is README.md. Files
    that the patch speaks of by their own names (`told`) aren't meant by others.
    """
    if path.startswith("./"):
        return
    alike = [other for other in elsewhere(path, tree) if share_lines(text, read(other) or "")]
    if not alike:
        first, _, rest = path.partition("/")
        tails = _tails(path) if rest.startswith(f"{first}/") or not tree.has_folder(first) else []
        found = [other for other in tails if tree.read(other) is not None]
        found += [other for other in tree.suggest(path) if _folded(other) == _folded(path)]
        alike = [other for other in found if other not in told and keeps_most(text, read(other) or "")]
    if alike:
        detail = f"{path} doesn't exist, and it isn't clear whether it is a new file or {' or '.join(alike[:8])}"
        advice = f"Write ./{path} for a new file, or the full path of the existing one."
        raise Refused(Problem("ambiguous", detail, path, advice=advice))


def _tails(path: str) -> list[str]:
    """The path without its first folder, its first two, and so on."""
    return [path.split("/", at)[-1] for at in range(1, path.count("/") + 1)]


def _folded(path: str) -> str:
    """The path without what is easily mistaken in it: upper and lower case, dashes and underscores."""
    return path.casefold().replace("-", "_")


def _says_something(line: str) -> bool:
    """Whether a line says more than a bracket."""
    return any(map(str.isalnum, line))


def _old(said: Said) -> list[str]:
    """The lines of the file that an edit shows as they are, in one piece."""
    if isinstance(said, Inside):
        return [line for chunk in said.chunks[:1] for line in (*(chunk.before or ()), *chunk.old, *(chunk.after or ()))]
    return split_lines(said.old.strip("\n")) if isinstance(said, Hunk) and said.times == 1 else []


def _holds(text: str, lines: list[str]) -> bool:
    """Whether a text holds these lines to the letter, in one place."""
    text, wanted = "\n" + text.replace("\r\n", "\n") + "\n", "\n" + "\n".join(lines) + "\n"
    at = text.find(wanted)
    return at >= 0 and text.find(wanted, at + 1) < 0


def _others(path: str, tree: Tree) -> Iterator[tuple[str, str]]:
    """Other spellings of a path, and the names that they mean."""
    for other in _spellings(path):
        try:
            found = tree.canonical(other)
            if path.endswith(f"/{other}") and tree.has_folder(path.removesuffix(f"/{other}")):
                continue
        except Refused:
            continue
        yield other, found


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
