"""Edit files that aren't UTF-8: find the encoding that a file declares, and put a patch's text into it. Pure.

Every file is read as UTF-8, and bytes that aren't UTF-8 become lone surrogates. So the characters of a patch are
encoded as the file is and read in the same way: then they are found, and written, as the file's own bytes. A patch in
plain ASCII needs none of this.

    file, in Latin-1   b"caf\\xe9"  read as  "caf\\udce9"          patch  "café"  becomes  "caf\\udce9"
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..problems import Problem, Refused
from ..text import BOM, decode

if TYPE_CHECKING:
    from typing import Any, TypeVar

    Value = TypeVar("Value")

UNDECLARED = "?"  # not UTF-8, and the file doesn't say what it is
_HEAD = 1024  # bytes in which browsers look for a declaration
_DECLARATIONS = (
    r"\A(?:.*\n)?[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)",  # Python, Ruby: `# -*- coding: latin-1 -*-`
    r"\A(?:.*\n)?.*?-\*-.*?\bcoding:[ \t]*([-\w.]+).*?-\*-",  # Emacs, in any comment
    r"\b(?:vim?|ex):.*?\b(?:fileencoding|fenc)=([-\w]+)",
    r"\A\s*<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([-\w.]+)",
    r"\A\s*<(?s:.)*?<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([-\w]+)",
    r'\A@charset "([-\w]+)"',
    r"^\"Content-Type: text/plain; charset=([-\w]+)\\n\"",  # gettext
    r"^[ \t]*\\usepackage\[([-\w]+)\]\{inputenc\}",
)
_DECLARATION_WORDS = ("coding", "charset", "fenc", "inputenc")  # one of them is in any declaration
_STRAY_BYTE = re.compile("[\udc80-\udcff]")
_CHARACTER = re.compile("[^\x00-\x7f\udc80-\udcff]")
_HALF = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # a surrogate that represents no byte


def encoding_of(data: bytes) -> str:
    """Return a file's encoding: "" for UTF-8 and ASCII, `UNDECLARED` if it is neither and doesn't declare another.

    A file that has more characters of UTF-8 than stray bytes is in UTF-8.
    """
    strays = 0
    if not data.isascii():
        if _is_in(data, "utf-8"):
            return ""  # whatever it declares
        text = decode(data)
        strays = len(_STRAY_BYTE.findall(text))
        if text[:1] == BOM or strays <= len(_CHARACTER.findall(text)):
            return ""
    encoding = declared(data)
    if encoding and _is_in(data, encoding):
        return encoding
    return UNDECLARED if strays else ""


def declared(data: bytes) -> str:
    """Return the encoding that a file declares, if it is another one than UTF-8 and includes ASCII; else ""."""
    head = data[:_HEAD].decode("latin-1")
    tail = data[-_HEAD:].decode("latin-1") if len(data) > _HEAD else ""
    if not any(map((head + tail).lower().__contains__, _DECLARATION_WORDS)):
        return ""
    for pattern in _DECLARATIONS:
        match = re.search(pattern, head, re.MULTILINE | re.IGNORECASE)
        if match is None and tail and "fenc" in pattern:  # Vim reads the last lines, too
            match = re.search(pattern, tail, re.MULTILINE)
        name = _codec_name(match[1]) if match else ""
        if name:
            return "" if name in ("utf-8", "utf-8-sig") else name
    return ""


def _codec_name(name: str) -> str:
    """Return Python's name of an encoding, if it knows it and ASCII is a part of it; else ""."""
    try:
        codec = codecs.lookup(name.removesuffix("-unix").removesuffix("-dos"))
        return codec.name if "a\n\\<+~".encode(codec.name) == b"a\n\\<+~" else ""
    except (LookupError, ValueError):
        return ""


def _is_in(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except ValueError:
        return False
    return True


def in_encoding(value: Value, encoding: str, path: str) -> Value:
    """Return a part of a patch with its text in a file's encoding; raise `Refused` if the file can't hold it."""
    text = "".join(texts_in(value))
    if half := _HALF.search(text):
        detail = f"{_shown(half[0])} is half of a surrogate pair, not a character"
        raise Refused(Problem("not_text", detail, advice="Write the whole character."))
    if encoding == "" or text.isascii():
        return value
    if encoding == UNDECLARED:
        character = _CHARACTER.search(text)
        if character is None:
            return value
        shown = _shown(character[0])
        detail = f"{path} isn't UTF-8 and declares no encoding, so {shown} can be neither found nor written in it"
        advice = "Convert the file to UTF-8 first, or declare its encoding in it. Edits in plain ASCII work as it is."
        raise Refused(Problem("not_text", detail, advice=advice))
    try:
        converted: Value = _with_texts(value, lambda text: decode(text.encode(encoding, "surrogateescape")))
    except UnicodeEncodeError as error:
        detail = f"{path} is in {encoding}, which can't represent {_shown(error.object[error.start])}"
        advice = "Use characters that the encoding has, or convert the file to UTF-8 first."
        raise Refused(Problem("not_text", detail, advice=advice)) from None
    return converted


def _shown(character: str) -> str:
    return f"U+{ord(character):04X}" + (f" (`{character}`)" if character.isprintable() else "")


def texts_in(value: object) -> list[str]:
    """Return all strings in nested tuples, but not those of problems, which are shown as they are."""
    texts, waiting = [], [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, tuple) and not isinstance(part, Problem):
            waiting.extend(part)
    return texts


def _with_texts(value: Any, convert: Callable[[str], str]) -> Any:
    """Return nested tuples with each of those strings converted."""
    if isinstance(value, str):
        return convert(value)
    if not isinstance(value, tuple) or isinstance(value, Problem):
        return value
    make: Callable[[list[Any]], Any] = getattr(type(value), "_make", tuple)
    return make([_with_texts(part, convert) for part in value])
