"""The formats, one folder each: being there is being known. No table elsewhere names one.

    formats/<name>/   __init__.py   FORMAT: its name, a summary, signs that it is in a text, what it can say
                      read.py       sniff, parse
                      write.py      write (operations into the format), operations (changes of lines as such, where the
                                    format chooses them itself)
                      tool.py       TOOL, where models call the format as a tool
                      prompt.md     what a model is told
                      examples.md   patches with the files before and after; tests and documentation

What a format does is imported when it is asked for: a patch in one format loads no other.
"""

from __future__ import annotations

import os
import re
from functools import cache
from importlib import import_module

from ..problems import Problem, Refused
from ..record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from types import ModuleType

    from ..author.describe import Piece
    from ..author.tool_schema import Tool
    from ..model import FileChange, Op, Patch, Tally
    from ..text import Text

_HOME = os.path.dirname(__file__)


class Example(NamedTuple):
    """A patch that teaches: `before` and `after` map paths to text; a path missing from one side is made or deleted."""

    title: str
    before: Mapping[str, str]
    patch: str
    after: Mapping[str, str]


class Writing(NamedTuple):
    """What `author/describe.py` has to know to put the changes of a file into a format.

    update: what changed lines become: "hunks" (lines that stay, go and come), "texts" (a text for a text, not bound to
        whole lines), "numbers" (new lines for numbered ones), "own" (what `operations` in write.py makes of them), ""
        (they aren't told: the file is written in full).
    near: changes with at most so many lines between them are one.
    context: how many lines are shown around a change; 0: as few as leave one place.
    like_git: with line numbers, the lines of deleted files, a word wherever a file ends without a line end.
    end_mark: a hunk may say that it is at the end of the file.
    creates_empty: a file is made without contents, which an edit then puts in.
    eol: as in `Rules`.
    whole: how to say an update that can't be said by lines: "overwrite" (the new contents), "replace" (delete the file,
        then make it), "show" (the new lines, while BOM and line ends stay), "" (not at all).
    """

    update: str = "hunks"
    near: int = 0
    context: int = 0
    like_git: bool = False
    end_mark: bool = False
    creates_empty: bool = False
    eol: str = "own"
    whole: str = ""


class Format(NamedTuple):
    """One format, whole. `can` lists what it is able to say: create, delete, move, blank_lines, final_newline, …

    `writing`: how changes are put into it. `signs`: one of them is in every text that looks like the format. `is_tool`:
    models call it as a tool. `tallied`: it has an operation for each hunk, and shows them to a tally while it reads.
    """

    name: str
    summary: str
    can: frozenset[str]
    writing: Writing
    signs: tuple[str, ...] = ("",)
    is_tool: bool = False
    tallied: bool = False

    def sniff(self, text: str) -> int:
        """How much a text looks like the format, from 0 to 100."""
        if not any(sign in text for sign in self.signs):
            return 0
        found: int = self._part("read").sniff(text)
        return found

    def parse(self, text: str, tally: Tally | None = None) -> Patch:
        """What a text in the format says. `tally` sees the operations while they are read, and may refuse them."""
        parse = self._part("read").parse
        patch: Patch = parse(text, tally) if tally and self.tallied else parse(text)
        return patch

    def render(self, changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
        """Changes in the format; Refused where it has no words for one. `wide`: paths that need more context."""
        from ..author.describe import describe

        ops = describe(changes, self, wide)
        return self.write(ops) if ops else ""

    def write(self, ops: tuple[Op, ...]) -> str:
        """Operations as `parse` would give them; what the format can't say comes out otherwise, or is Refused."""
        text: str = self._part("write").write(ops)
        return text

    def operations(self, path: str, before: Text, pieces: list[Piece], wide: bool) -> tuple[Op, ...] | None:
        """Changed lines of a file as operations, where `writing.update` is "own"; None: there are none that say it."""
        ops: tuple[Op, ...] | None = self._part("write").operations(path, before, pieces, wide)
        return ops

    def tool(self) -> Tool:
        """How a model calls the format, where `is_tool`."""
        tool: Tool = self._part("tool").TOOL
        return tool

    @property
    def prompt(self) -> str:
        """What a model is told to write the format."""
        return _told(self._folder, "prompt.md")

    @property
    def examples(self) -> tuple[Example, ...]:
        """Patches in the format, with what they make of which files."""
        return _examples(_told(self._folder, "examples.md"))

    @property
    def _folder(self) -> str:
        return self.name.replace("-", "_")

    def _part(self, part: str) -> ModuleType:
        return import_module(f"{__name__}.{self._folder}.{part}")


@cache
def names() -> tuple[str, ...]:
    """The names of all formats, in alphabetical order."""
    folders = (name for name in os.listdir(_HOME) if os.path.exists(os.path.join(_HOME, name, "read.py")))
    return tuple(sorted(name.replace("_", "-") for name in folders))


def named(name: str) -> Format:
    """One format by its name; Refused with the nearest name where there is none."""
    plain = name.strip().lower().replace("_", "-")
    if plain not in names():
        raise Refused(_unknown(name))
    return _loaded(plain)


def score(name: str, text: str) -> int:
    """How much a text looks like a format."""
    return named(name).sniff(text)


@cache
def _loaded(name: str) -> Format:
    found: Format = import_module(f"{__name__}.{name.replace('-', '_')}").FORMAT
    return found


def _unknown(name: str) -> Problem:
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), names(), 1, 0.5)
    advice = f"Did you mean {near[0]}?" if near else f"The formats are: {', '.join(names())}."
    return Problem("unknown_format", f"{name!r} is no format of anypatch", advice=advice)


@cache
def _told(folder: str, file: str) -> str:
    with open(os.path.join(_HOME, folder, file), encoding="utf-8", newline="") as opened:
        return opened.read()


_FENCED = re.compile(r"(?:(Before|After), `([^`\n]+)`|The patch):\n\n``````text\n(.*?)``````\n", re.DOTALL)


@cache
def _examples(text: str) -> tuple[Example, ...]:
    """The examples of an `examples.md`: a heading each, under it fences for the files and the patch."""
    found = []
    for part in text.split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        fences = _FENCED.findall(body)
        before, after = ({path: held for when, path, held in fences if when == side} for side in ("Before", "After"))
        patch = next(held for when, _, held in fences if not when)
        found.append(Example(title[0].lower() + title[1:], before, patch, after))
    return tuple(found)
