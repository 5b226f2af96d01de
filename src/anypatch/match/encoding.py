"""Which encoding a file is in, where that isn't UTF-8, and what a patch says put into it. Pure.

A file is read as UTF-8 whatever it is, and bytes that are none survive as lone surrogates. What a patch says in other
signs is put into the file's own bytes first, read in that same way: then it is found, and written, as it stands there.
A patch in ASCII needs none of this.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..model import Hunk
from ..problems import Problem, Refused
from ..text import BOM, decode, encode

if TYPE_CHECKING:
    from typing import Any, TypeVar

    Value = TypeVar("Value")


_HEAD = 1024  # bytes in which browsers look for a declaration
_UNKNOWN = "?"
_DECLARED = (
    r"\A(?:.*\n)?[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)",  # Python, Ruby: `# -*- coding: latin-1 -*-`
    r"\A(?:.*\n)?.*?-\*-.*?\bcoding:[ \t]*([-\w.]+).*?-\*-",  # Emacs, behind any sign of a comment
    r"\b(?:vim?|ex):.*?\b(?:fileencoding|fenc)=([-\w]+)",
    r"\A\s*<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([-\w.]+)",
    r"\A\s*<(?s:.)*?<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([-\w]+)",
    r'\A@charset "([-\w]+)"',
    r"^\"Content-Type: text/plain; charset=([-\w]+)\\n\"",  # gettext
    r"^[ \t]*\\usepackage\[([-\w]+)\]\{inputenc\}",
)
# What a file may be in that doesn't say it, where its bytes and the old lines of a patch agree on it.
_COMMON = (
    "cp1252", "latin-1", "iso8859-15", "iso8859-2", "cp1250", "cp1251", "koi8-r", "shift_jis", "cp932", "euc_jp",
    "gb18030", "big5", "euc_kr",
)  # fmt: skip
_ESCAPED = re.compile("[\udc80-\udcff]")
_OTHER = re.compile("[^\x00-\x7f\udc80-\udcff]")
_HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_HALVES_ESCAPED = re.compile("\udced[\udca0-\udcbf][\udc80-\udcbf]")


def encoding_of(data: bytes) -> str:
    """A file's encoding: "" for UTF-8 and ASCII, "?" where it isn't UTF-8 and doesn't say what it is."""
    strays = 0
    if not data.isascii():
        if _holds(data, "utf-8"):
            return ""  # whatever it declares: the bytes tell
        text = _HALVES_ESCAPED.sub("", decode(data))
        strays = len(_ESCAPED.findall(text))
        if text[:1] == BOM or strays <= len(_OTHER.findall(text)):
            return ""
    said = declared(data)
    if said and _holds(data, said):
        return said
    return _UNKNOWN if strays else ""


def declared(data: bytes) -> str:
    """The encoding that a text says it is in, if it is another one than UTF-8 and has ASCII in it; else ""."""
    head = data[:_HEAD].decode("latin-1")
    tail = data[-_HEAD:].decode("latin-1") if len(data) > _HEAD else ""
    if not any(map((head + tail).lower().__contains__, ("coding", "charset", "fenc", "inputenc"))):
        return ""  # what each of the forms has
    for form in _DECLARED:
        found = re.search(form, head, re.MULTILINE | re.IGNORECASE)
        if found is None and tail and "fenc" in form:
            found = re.search(form, tail, re.MULTILINE)
        name = _codec(found[1]) if found else ""
        if name:
            return "" if name in ("utf-8", "utf-8-sig") else name
    return ""


def _codec(name: str) -> str:
    """Python's name of an encoding, if it has one and ASCII is a part of it."""
    import codecs

    try:
        codec = codecs.lookup(name.removesuffix("-unix").removesuffix("-dos"))
        return codec.name if "a\n\\<+~".encode(codec.name) == b"a\n\\<+~" else ""
    except (LookupError, ValueError):
        return ""


def _holds(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except ValueError:
        return False
    return True


def spoken(value: Value, encoding: str, path: str, data: Callable[[], bytes]) -> Value:
    """What a patch says of a file, in the file's own bytes. Refused where they can't hold it.

    `data` is asked for the file, where only signs that stand in it already can be told.
    """

    def put(text: str) -> str:
        if text.isascii():
            return text
        if encoding in ("", _UNKNOWN):
            return decode(encode(text)) if _HALVES.search(text) else text
        try:
            return decode(text.encode(encoding, "surrogateescape"))
        except UnicodeEncodeError as error:
            detail = f"{path} is in {encoding}, which can't represent {_shown(text[error.start])}"
            advice = "Use characters that the encoding has, or convert the file to UTF-8 first."
            raise Refused(Problem("not_text", detail, advice=advice)) from None

    signs = set((_OTHER if encoding == _UNKNOWN else _HALVES).findall("".join(said_in(value))))
    if not signs and encoding in ("", _UNKNOWN):
        return value
    unknown = {sign for sign in signs if encode(sign) not in data()} if signs else signs
    if unknown:
        guess = _guess(value, data()) if encoding == _UNKNOWN else ""
        if not guess:
            raise Refused(_untold(min(unknown), path))
        encoding = guess
    made: Value = _mapped(value, put)
    return made


def _guess(value: object, data: bytes) -> str:
    """The encoding in which all old lines of a patch stand in a file that doesn't say what it is in; "" if none is.

    Encodings that agree on everything the patch says are as good as one: `é` is the same byte in a good many.
    """
    said = value if isinstance(value, tuple) else ()
    texts = [one.old.split("\n") for one in said if isinstance(one, Hunk)]
    old = [bare for lines in texts for line in lines if not (bare := line.strip()).isascii()]
    fitting: dict[tuple[bytes, ...], str] = {}
    for name in _COMMON if old else ():
        try:
            text = data.decode(name)
            stands = all(line.encode(name) in data for line in old)
            if stands and not any("\x80" <= sign <= "\x9f" for sign in text):
                fitting.setdefault(tuple([line.encode(name) for line in said_in(value)]), name)
        except UnicodeError:
            continue
    return fitting.popitem()[1] if len(fitting) == 1 else ""


def _untold(sign: str, path: str) -> Problem:
    if _HALVES.match(sign):
        detail = f"{_shown(sign)} is half of a surrogate pair, not a character"
        return Problem("not_text", detail, advice="Write the whole character.")
    detail = f"{path} isn't UTF-8 and declares no encoding, so {_shown(sign)} can be neither found nor written in it"
    advice = "Convert the file to UTF-8 first, or declare its encoding in it. Edits in plain ASCII work as it is."
    return Problem("not_text", detail, advice=advice)


def _shown(sign: str) -> str:
    return f"U+{ord(sign):04X}" + (f" (`{sign}`)" if sign.isprintable() else "")


def said_in(value: object) -> list[str]:
    """All texts in a value; what is wrong with a patch is told as it is."""
    texts, waiting = [], [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, tuple) and not isinstance(part, Problem):
            waiting.extend(part)
    return texts


def _mapped(value: Any, put: Callable[[str], str]) -> Any:
    """A value with all those texts put otherwise."""
    if isinstance(value, str):
        return put(value)
    if not isinstance(value, tuple) or isinstance(value, Problem):
        return value
    make: Callable[[list[Any]], Any] = getattr(type(value), "_make", tuple)
    return make([_mapped(part, put) for part in value])
