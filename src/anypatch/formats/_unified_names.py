"""The file names of a diff: quoting, time stamps, prefixes. Pure; knows no tree, so it can't look what is there."""

from __future__ import annotations

import re
from functools import lru_cache

from ..text import BLANK, decode, encode

NOWHERE = "/dev/null"
# The first part of a name, on the old and on the new side, that tools and people write for "before" and "after".
_OLD_SIDES = ("a", "c", "i", "o", "1", "old", "orig", "original", "before", "left")
_NEW_SIDES = ("b", "i", "w", "2", "new", "modified", "after", "patched", "updated", "edited", "fixed", "right")
_COPIES = (".orig", ".original", ".old", ".bak", ".new", ".modified", "~")
_STAMP = r"[ \t][0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}.*"
_REMARK = r" \((?:revision [0-9]+|working copy|nonexistent|original|modified|updated|old|new|before|after)\)"
_EPOCHS = (r"1970-01-01[ T]", r"1969-12-31[ T]")
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_SPELLINGS = {code: "\\" + letter for letter, code in _ESCAPES.items()}


@lru_cache(maxsize=256)
def clean(said: str) -> str:
    """The name in a header line, without quotes, time stamp and remarks."""
    said = said.strip(BLANK)
    if said[:1] == '"':
        name, rest = _unquoted(said)
        if name and rest[:1] in ("", "\t", " "):
            return name
    name = _before_tab(said)
    stamp = re.search(_STAMP, name) if "-" in name else None
    name = name[: stamp.start()] if stamp else name
    remark = re.search(_REMARK, name) if name.endswith(")") else None
    name = (name[: remark.start()] if remark and remark.end() == len(name) else name).strip(BLANK)
    if len(name) > 2 and name[0] == name[-1] == "`":
        name = name[1:-1]
    return NOWHERE if name in ("dev/null", "a/dev/null", "b/dev/null") else name


def _before_tab(said: str) -> str:
    """What stands before the tab that ends a name. Part of a name is what ends in a suffix: `post<TAB>image.txt`."""
    name, *rest = said.split("\t")
    while rest and re.fullmatch(r"[^:()]*\.[A-Za-z]\w{0,9}", rest[0]):
        name += "\t" + rest.pop(0)
    return name


def is_epoch(said: str) -> bool:
    """Whether the time stamp of a header line is the one that `diff -N` gives a file that isn't there."""
    return any(re.search(r"[ \t]" + epoch, said) for epoch in _EPOCHS)


def agreed(old: str, new: str) -> str:
    """The path that both names mean, "" where they mean different ones."""
    if old == new:
        return new
    old_side, _, old_rest = old.partition("/")
    new_side, _, new_rest = new.partition("/")
    if old_rest and old_rest == new_rest and _are_sides(old_side, new_side):
        return new_rest
    if old == f"a/{new}":
        return new
    if new == f"b/{old}":
        return old
    if old_side == "a" and new_side == "b":
        old, new = old_rest, new_rest
    if old and new and old.removeprefix(new) in _COPIES:
        return new
    return old if old and new and new.removeprefix(old) in _COPIES else ""


def _are_sides(old: str, new: str) -> bool:
    """Whether the first parts of two names mean before and after: `a` and `b`, `thing.orig` and `thing`."""
    if old.lower() in _OLD_SIDES and new.lower() in _NEW_SIDES:
        return True
    return bool(old and new) and (old.removeprefix(new) in _COPIES or new.removeprefix(old) in _COPIES)


def in_git_line(said: str) -> tuple[str, str]:
    """The two names behind `diff --git`; ("", "") where they can't be told apart."""
    said = said.strip(BLANK)
    if '"' in said:
        return _with_quotes(said)
    half = len(said) // 2
    if said[half : half + 1] == " ":
        old, new = said[:half], said[half + 1 :]
        if agreed(old, new):
            return old, new
    at = said.rfind(" b/")
    if at > 0:
        return said[:at], said[at + 1 :]
    parts = said.split(" ")
    return (parts[0], parts[1]) if len(parts) == 2 else ("", "")


def _with_quotes(said: str) -> tuple[str, str]:
    """Names of which one or both are quoted."""
    if said[0] == '"':
        old, rest = _unquoted(said)
        rest = rest.strip(BLANK)
        return old, _unquoted(rest)[0] if rest[:1] == '"' else rest
    at = said.find(' "')
    return (said[:at], _unquoted(said[at + 1 :])[0]) if at > 0 else ("", "")


def _unquoted(said: str) -> tuple[str, str]:
    """A C string at the beginning of a text, and what stands behind it; ("", text) where it never ends."""
    data = bytearray()
    token = re.compile(r'([^"\\]+)|\\([0-3][0-7]{2})|\\([abtnvfr"\\])|\\')
    at = 1
    while (found := token.match(said, at)) is not None:
        plain, octal, letter = found.groups()
        data += encode(plain) if plain else bytes([int(octal, 8) if octal else _ESCAPES.get(letter or "", 92)])
        at = found.end()
    return (decode(bytes(data)), said[at + 1 :]) if said[at : at + 1] == '"' else ("", said)


def written(name: str) -> str:
    """A name as a header line holds it: quoted where it would be read as something else."""
    plain = name.isprintable() and '"' not in name and "\\" not in name
    if plain and clean(name) == name and clean(f"{name}\t") == name:
        return name
    parts = []
    for byte in encode(name):
        known = _SPELLINGS.get(byte)
        parts.append(known or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"))
    return '"' + "".join(parts) + '"'
