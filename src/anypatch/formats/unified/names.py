"""File names in the header lines of diffs: quotes, time stamps, the prefixes `a/` and `b/`. Looks at no file."""

from __future__ import annotations

import re

from ...text import BLANK, decode, encode

NOWHERE = "/dev/null"
_QUOTED = r'"(?:[^"\\]|\\.)*"'
# The text after a name: a date, or anything after the last tab.
_STAMP = r"[ \t][0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:.*|\t[^\t]*$"
_EPOCH = r"[ \t](?:1970-01-01|1969-12-31)[ T]"  # the time that `diff -N` gives a file that doesn't exist
_ESCAPES = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}
_SPELLINGS = {code: "\\" + letter.decode() for letter, code in _ESCAPES.items()}


def name_in(text: str) -> str:
    """Return the name in what follows `--- ` or `+++ `, without quotes and time stamp; /dev/null for no file."""
    text = text.strip(BLANK)
    quoted = re.match(_QUOTED, text) if text[:1] == '"' else None
    if quoted is not None and text[quoted.end() :][:1] in ("", " ", "\t"):
        return _unquoted(quoted[0])
    if " " in text or "\t" in text:
        if has_no_file(text):
            return NOWHERE
        text = re.sub(_STAMP, "", text, count=1).strip(BLANK)
    return NOWHERE if text in ("dev/null", "a/dev/null", "b/dev/null") else text


def has_no_file(text: str) -> bool:
    """Return True if the time stamp after a name says that there is no such file, as `diff -N` writes it."""
    return re.search(_EPOCH, text) is not None


def names_in_git_line(text: str) -> tuple[str, str]:
    """Return the two names after `diff --git`; ("", "") if one can't tell where one ends."""
    text = text.strip(BLANK)
    if '"' in text:
        quoted = re.fullmatch(rf'({_QUOTED}|[^"]+) ({_QUOTED}|[^"]+)', text)
        return (_unquoted(quoted[1]), _unquoted(quoted[2])) if quoted else ("", "")
    half = len(text) // 2
    if text[half : half + 1] == " " and common_path(text[:half], text[half + 1 :]):
        return text[:half], text[half + 1 :]  # the same name twice, perhaps with spaces in it
    old, found, new = text.rpartition(" b/")
    if found:
        return old, f"b/{new}"
    names = text.split(" ")
    return (names[0], names[1]) if len(names) == 2 else ("", "")


def common_path(old: str, new: str) -> str:
    """Return the path that both names refer to, without `a/` and `b/`; "" if they refer to different files."""
    if old == new:
        return new
    new = new.removeprefix("b/")
    return new if old.removeprefix("a/") == new else ""


def written(name: str) -> str:
    """Return a name as a header line holds it: in quotes if it would be read as something else."""
    plain = name.isprintable() and '"' not in name and "\\" not in name
    if plain and name_in(name) == name and name_in(f"{name}\t") == name:
        return name
    spelt = (_SPELLINGS.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in encode(name))
    return '"' + "".join(spelt) + '"'


def _unquoted(name: str) -> str:
    """Return what a name in quotes stands for: bytes may be octal, as in `"b/\\303\\244"`."""
    if name[:1] != '"':
        return name

    def byte(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) if len(code) == 3 else _ESCAPES[code]])

    return decode(re.sub(rb'\\([0-3][0-7]{2}|[abtnvfr"\\])', byte, encode(name[1:-1])))
