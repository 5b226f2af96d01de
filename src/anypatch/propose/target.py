"""Find the file that a fence is about.

A word is a path because the tree has such a file or, for a new file, because it is alone in the place of a label. The
sentences are never read, so the language of the answer doesn't matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..answer.labels import NUMBERING, WORD, clean, has_folder, has_suffix
from ..model import Sketch
from ..syntax.languages import comment_text

_DRESS = " \t#*_`\"'>:：()[]-"
_ASCII_PART = re.compile(r"[A-Za-z0-9_./\\@+~$-]+")
_CODE = re.compile(r"`([^`\n]+)`")
_LONGEST = 1000  # characters of a path, or of a line that may be a label
# Info strings of commands and of output, and the suffixes of files that such a fence may be.
_SHELL = {"bash", "sh", "shell", "zsh", "fish", "console", "shell-session", "terminal", "powershell", "cmd", "bat"}
_OUTPUT = {"text", "txt", "plaintext", "plain", "output", "log", "stdout", "stderr"}
_SHELL_SUFFIXES = {"sh", "bash", "zsh", "fish", "ps1", "bat", "cmd", "env"}
_OUTPUT_SUFFIXES = {"txt", "text", "md", "rst", "log", "csv"}


class PathIndex:
    """The paths of a tree, by path and by tail, and the suffixes of its files."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.suffixes: set[str] = set()
        self._paths: set[str] = set()
        self._by_name: dict[str, list[str]] = {}
        self._tails: dict[str, dict[str, str]] = {}
        for path in paths:
            self.add(path)

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def add(self, path: str) -> None:
        """Add a path, such as one that an answer creates."""
        if path not in self._paths:
            name = path.rpartition("/")[2]
            self._paths.add(path)
            self._by_name.setdefault(name, []).append(path)
            self._tails.pop(name, None)
            if "." in name:
                self.suffixes.add(name.rpartition(".")[2])

    def find(self, word: str) -> str | None:
        """Return the only file that a word names: its path, the end of its path, or a path with folders in front."""
        if len(word) > _LONGEST:
            return None
        wanted = clean(word)
        if wanted in self._paths:
            return wanted
        if wanted.rpartition("/")[2] not in self._by_name or not (has_suffix(wanted) or has_folder(wanted)):
            return None
        tail = self._tails_of(wanted.rpartition("/")[2]).get(wanted)
        if tail is not None:
            return tail or None
        below = (rest for rest in _tails(wanted) if "/" in rest and rest in self._paths)
        return next(below, None)

    def _tails_of(self, name: str) -> dict[str, str]:
        """Return all tails of the paths with a file name; "" for those that several paths have."""
        if name not in self._tails:
            tails: dict[str, str] = {}
            for path in self._by_name[name]:
                for tail in _tails(path):
                    tails[tail] = "" if tail in tails else path
            self._tails[name] = tails
        return self._tails[name]


def _tails(path: str) -> Iterator[str]:
    """Yield a path without its first folders: `src/a/b.py`, `a/b.py`, `b.py`."""
    slash = "/"
    while slash:
        yield path
        _, slash, path = path.partition("/")


class Target(NamedTuple):
    """The file that a fence is about.

    `own` means that the fence has a label of its own; otherwise the path is from the text above or from the fence
    before. `written` is the path as the answer has it, which may be a tail of `path`. `skip` is the number of lines of
    the body that only hold the label.
    """

    path: str
    written: str
    own: bool
    skip: int = 0


def find_target(sketch: Sketch, index: PathIndex, previous: str = "") -> Target | None:
    """Find the file of a fence; None if nothing names one. `previous` is the file of the fence before."""
    target = _own_label(sketch, index)
    if sketch.path:
        return Target(sketch.path, sketch.path, own=True, skip=target.skip if target else 0)
    if target is None:
        path = _last_mention(sketch.above, index)
        if path is None and not unknown_paths(sketch.above, index, likely=True):
            path = previous
        target = Target(path, path, own=False) if path else None
    if target and is_command(sketch.info) and not _may_be(sketch.info, target.path):
        return None
    return target


def is_command(info: str) -> bool:
    """Return True if a fence holds commands or their output, by its info string."""
    return _language(info) in _SHELL | _OUTPUT


def _language(info: str) -> str:
    return re.split(r"[\s:={]", info.strip().lower(), maxsplit=1)[0]


def _may_be(info: str, path: str) -> bool:
    """Return True if a fence of commands or output can be that file: `run.sh`, `notes.txt`, `.env`, `Makefile`."""
    stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
    if not dot or not stem:
        return True
    return suffix in (_SHELL_SUFFIXES if _language(info) in _SHELL else _OUTPUT_SUFFIXES)


def _own_label(sketch: Sketch, index: PathIndex) -> Target | None:
    """Find the label in the info string, on the line above, or in a comment on the first line."""
    for word in reversed(sketch.info.split()):
        label = _label(re.split("[=:]", word)[-1], index)  # `src/a.py`, `title=src/a.py`, `python:src/a.py`
        if label:
            return label
    line = next((line for line in reversed(sketch.above) if line.strip()), "")
    label = _label_above(line[:_LONGEST], index)
    if label:
        return label
    comment = comment_text(sketch.body[0][:_LONGEST]) if sketch.body else None
    label = _label(comment, index) if comment else None
    return label._replace(skip=1) if label else None


def _label_above(line: str, index: PathIndex) -> Target | None:
    """Read a path that is alone on its line, after a colon at its end, or all that a heading names."""
    line = NUMBERING.sub("", line.strip())
    is_title = line.lstrip().startswith(("#", "**"))
    label = _label(line, index) or _label(re.split("[:：]", line)[-1], index, heading=line.lstrip().startswith("#"))
    if label is None and is_title:
        named = [(path, word) for word in _words(line) if (path := index.find(word))]
        labels = [Target(path, clean(word), own=True) for path, word in named]
        codes = (_label(code, index, heading=True) for code in _CODE.findall(line))
        labels = labels or [code for code in codes if code]
        label = labels[0] if len(labels) == 1 else None
    return label


def _label(text: str, index: PathIndex, *, heading: bool = False) -> Target | None:
    """Return the label if a text is a path and nothing else.

    A heading is one only if the tree has the path, or if it holds a slash: `## Node.js` and `### Input/Output` aren't.
    """
    text = text.strip()
    bare = text.strip(_DRESS).rstrip(".")
    known = index.find(bare)
    if known:
        return Target(known, clean(bare), own=True)
    if not (bare.isascii() or "`" in text or "**" in text):  # scripts without spaces run on into the path
        return None
    if bare.startswith(("/", "\\", "~")):
        return None  # not a path of the tree
    heading = heading or text.startswith("#")
    in_folder, is_title = has_folder(bare), heading or text.startswith("**")
    if (has_suffix(bare) and (in_folder or not heading)) or (in_folder and (not is_title or "`" in text)):
        path = clean(bare)
        return Target(path, path, own=True)
    return None


def _last_mention(above: Sequence[str], index: PathIndex) -> str | None:
    """Return the last file of the tree that the text names."""
    for line in reversed(above):
        for word in reversed(list(_words(line))):
            path = index.find(word)
            if path:
                return path
    return None


def unknown_paths(above: Sequence[str], index: PathIndex, *, likely: bool = False) -> list[str]:
    """Return the words of a text that look like paths, but aren't in the tree.

    With `likely`, only those with a folder or a suffix that files of the tree have: `os.path` isn't a file.
    """
    words = (word for line in above for word in _words(line))
    unknown = dict.fromkeys(word for word in words if has_suffix(word) and not index.find(word))
    return [word for word in unknown if not likely or "/" in word or word.rpartition(".")[2] in index.suffixes]


def _words(line: str) -> Iterator[str]:
    """Return the words of a line without punctuation; where a script has no spaces, also the ASCII parts of each."""
    for token in (word.strip("[]") for word in WORD.findall(line)):
        for part in [token] if token.isascii() else [token, *_ASCII_PART.findall(token)]:
            yield part.rstrip(".:_") if part.startswith(".") else part.strip(".:_#")
