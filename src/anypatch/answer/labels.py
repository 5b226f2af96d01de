"""Paths that label a block: alone on a line, in the info string of a fence, in a tag. By their shape alone.

    src/cart.py          ### 2. `src/cart.py`      # src/cart.py       <file path="src/cart.py">
    **src/cart.py**:     File: src/cart.py         ```python title="src/cart.py"

A path has a folder or a suffix. Whether the tree has such a file is for others to find out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_LONGEST = 300  # characters of a line that may be a label
# File names that are known to be such, though they have neither folder nor suffix.
_BARE_NAMES = (
    "makefile", "dockerfile", "containerfile", "gemfile", "rakefile", "procfile", "vagrantfile", "jenkinsfile",
    "justfile", "pipfile", "podfile", "brewfile", "caddyfile", "codeowners", "readme", "license", "changelog",
    "notice", "authors",
)  # fmt: skip
_PATH = re.compile(r"[\w./@+~$\\\[\]()-]+")
_SUFFIX = re.compile(r".*\w\.[A-Za-z][A-Za-z0-9_+-]{0,14}|\.[A-Za-z][\w.-]*")
# Everything that can be around a path in Markdown or prose, in ASCII and in full width, ends a word.
WORD = re.compile(r"[^\s`*\"'<>(){},;|「」『』“”‘’（），。、；：]+")
NUMBERING = re.compile(r"^(?:[-*+•]|\(?\d{1,3}[.)])\s+")
_COMMENT_SIGNS = re.compile(r"^(?:#+|//+|--+|==+|;+|%+|/\*+|<!--|\{/\*|>)\s*|\s*(?:\*+/\}?|-->|--+|==+)$")
_MARKUP = " \t*`\"':：[]"
_TAG = re.compile(r"</?[A-Za-z][\w.:-]*>|<!\[CDATA\[")
_TAG_PATH = re.compile(
    r"""<(?:path|file_?path|filename|file|document|uri|target_file)>\s*([^<>]+?)\s*</\w+>$"""
    r"""|<[A-Za-z][\w.:-]*\s[^<>]*?\b(?:(?:file_?)?path|file|filename|name|src|target_file)\s?=\s?["']([^"'<>]+)["']"""
)
_TITLE = re.compile(r"""\b(?:title|filename|file|path|name|filepath)\s*[=:]\s*["']([^"']+)["']""")
_NEVER = ("+++ ", "diff ", "@@", "```", "~~~", "#!", "--- a/", "*** ")


class PathLine(NamedTuple):
    """A path on a line of its own.

    `sure` means that it has the shape of a path; otherwise it is a word such as `Cargo`, which may be a file.
    """

    path: str
    sure: bool
    heading: bool = False


@lru_cache(maxsize=256)
def path_line(line: str) -> PathLine | None:
    """Return the path that is alone on a line, after a colon at most; None if there is none."""
    text = line.strip()
    if not text or len(text) > _LONGEST or text.startswith(_NEVER):
        return None
    if text[0] == "<" and (path := path_in_tag(text)):
        return PathLine(path, True)
    heading = text.startswith("#")
    text = _COMMENT_SIGNS.sub("", text)
    text = NUMBERING.sub("", text)
    bare = text.strip(_MARKUP)
    label, _, after = bare.replace("：", ":").rpartition(":")
    for path in (bare, "" if label.endswith(":") else after.strip(_MARKUP)):  # `.git::$DATA/config` is one word
        if looks_like_path(path):
            return PathLine(path, not (heading and is_known_name(path)), heading)  # `## License`
    is_word = " " not in bare and not text.endswith((":", "：", ".")) and _PATH.fullmatch(bare) is not None
    return PathLine(bare, False, heading) if is_word else None


def path_on(line: str) -> str:
    """Return the path that is alone on a line, if it has the shape of one; else ""."""
    path = path_line(line)
    return path.path if path is not None and path.sure else ""


def path_in(line: str) -> str:
    """Return the only word of a line that has the shape of a path; "" if there is none, or more than one."""
    words = (word.strip(".:_#") for word in WORD.findall(line))
    paths = {word for word in words if has_suffix(word)}
    return paths.pop() if len(paths) == 1 else ""


@lru_cache(maxsize=64)
def path_in_title(info: str) -> str:
    """Return the path in the info string of a fence: `title="a b.py"`, `python:src/a.py`, `src/a.py`."""
    title = _TITLE.search(info)
    if title:
        return title[1]
    for word in reversed(info.split()):
        head, _, path = word.replace("=", ":").rpartition(":")
        if not head and is_known_name(path):
            continue  # the language: "```dockerfile"
        if looks_like_path(path) and not head[:1].isdigit():  # `12:15:src/a.py` cites lines
            return path
    return ""


def path_in_tag(line: str) -> str:
    """Return the path in a tag: `<edit file="src/a.py">`, `<path>src/a.py</path>`; "" for other lines."""
    tag = _TAG_PATH.match(line.strip())
    return (tag[1] or tag[2]).strip() if tag else ""


def is_tag(line: str) -> bool:
    """Return True if a line is nothing but a tag without attributes, as calls in XML have around their blocks."""
    bare = line.strip()
    return bare[:1] == "<" and _TAG.fullmatch(bare) is not None


def is_known_name(word: str) -> bool:
    """Return True for names such as `Makefile`, which only files have."""
    return word.lower() in _BARE_NAMES


def looks_like_path(text: str) -> bool:
    """Return True if a text has the shape of a path, or of a path and a symbol: `src/cart.py#Cart.total`."""
    path = text.partition("#")[0] if "#" in text[1:] else text
    return is_known_name(path) or has_suffix(path) or has_folder(path)


def has_suffix(word: str) -> bool:
    """Return True if a word is made of what paths are made of and ends like a file: `a.py`, `src/a.test.ts`, `.env`."""
    return "//" not in word and bool(_PATH.fullmatch(word) and _SUFFIX.fullmatch(clean(word).rpartition("/")[2]))


def has_folder(word: str) -> bool:
    """Return True if a word is made of what paths are made of and has a folder: `src/cart`."""
    return bool(_PATH.fullmatch(word)) and bool(re.search(r"\w/\w", clean(word))) and "//" not in word


def clean(word: str) -> str:
    """Return a path with forward slashes, relative to the root."""
    return word.replace("\\", "/").removeprefix("./").lstrip("/")
