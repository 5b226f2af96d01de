"""Patches written: from two trees, from another format, backwards. Pure; planning proves every text."""

from __future__ import annotations

from . import registry
from .errors import Problem, Refused
from .model import FileChange
from .plan import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .model import File, Format


def written(changes: tuple[FileChange, ...], name: str) -> str:
    """The changes in a format. Applied to the files before, the text gives those after, byte for byte; else Refused."""
    format = registry.named(name)
    text = format.render(changes)
    why = unproven(text, format, changes)
    if why is not None:
        raise Refused(why)
    return text


def unproven(text: str, format: Format, changes: tuple[FileChange, ...]) -> Problem | None:
    """What is wrong with a patch that should make these changes; None where it does."""
    made = plan(format.parse(text), Before(changes))
    for problem in made.problems:
        detail = f"{format.name} can't say this change of {problem.path}: {problem.detail} ({problem.kind})"
        return Problem("cannot_say", detail, problem.path)
    found = {change.path: change.after for change in made.changes}
    for change in changes:
        if change.before != change.after and found.pop(change.path, change.before) != change.after:
            detail = f"{format.name} can't say this change of {change.path}: it would be read as another one"
            return Problem("cannot_say", detail, change.path)
    return None


class Before:
    """The files before as a tree."""

    def __init__(self, changes: tuple[FileChange, ...]) -> None:
        self._files = {change.path: change.before for change in changes}

    def canonical(self, path: str) -> str:
        """Paths are canonical already."""
        from .locate.paths import normalise

        return normalise(path)

    def read(self, path: str) -> File | None:
        """The file before."""
        return self._files.get(path)

    def ending(self, path: str) -> tuple[str, ...]:
        """Nobody misspells a path here."""
        return ()

    def suggest(self, path: str) -> tuple[str, ...]:
        """Nobody misspells a path here."""
        return ()
