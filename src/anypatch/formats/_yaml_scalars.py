"""The scalars of YAML: plain, quoted and block texts. Knows no collections; folds and unescapes, interprets nothing."""

from __future__ import annotations

from ._yaml_nodes import QUOTE, Bad, Scalar, Source, is_marker, looks_structural, past_blanks, pattern, skip

HEADERS = frozenset(("|-", "|", "|+", ">-", ">", ">+"))
SPECIAL = frozenset(",[]{}#&*!|>'\"%@`")

_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "\\": "\\", "/": "/", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_CODES = {"x": 2, "u": 4, "U": 8}


# ── plain ────────────────────────────────────────────────────────────────────────────────────────


def plain(source: Source, row: int, start: int, indent: int, of_key: bool) -> tuple[Scalar, int]:
    """The plain text at (row, start) and the row behind it; `of_key`: it stands on the line of its key.

    YAML's plain texts may go on in deeper lines. Those it forbids, but that can only be meant as text, end with
    their line.
    """
    line = source.lines[row]
    text = _without_comment(source, row, start)
    odd = _oddity(text, of_key)
    if not of_key and (has_colon(text) or (odd and text[0] in "-?")):
        raise source.bad(row, "this is neither a 'key: value' line nor a plain text", QUOTE)
    if odd:
        source.note(row, f"{odd}, yet was read as plain text")
    after = skip(source, row + 1)
    if source.column > indent:
        commented = len(text) < len(line.rstrip(" \t")) - start
        if odd or commented:
            raise source.bad(after, f"this line would go on with the text of line {source.first + row}, {_why(odd)}")
        return _continued(source, row, text, indent)
    return Scalar(text, source.first + row, "plain"), after


def _without_comment(source: Source, row: int, start: int) -> str:
    """The rest of a line, less what stands behind ` #`."""
    text = source.lines[row][start:]
    if "#" in text:
        ends = [end for end in (text.find(" #"), text.find("\t#")) if end >= 0]
        if ends:
            source.note(row, "the text behind ' #' was read as a comment")
            text = text[: min(ends)]
    return text.rstrip(" \t")


def _oddity(text: str, of_key: bool) -> str:
    """Why YAML forbids a plain text, or nothing."""
    lead = text[:1]
    if lead in SPECIAL or (lead in "-?:" and text[1:2] in ("", " ", "\t")):
        return f"the text begins with {lead!r}"
    if of_key and has_colon(text):
        return "the text holds ': '" if pattern("colon").search(text, 0, len(text) - 1) else "the text ends in ':'"
    return ""


def has_colon(text: str) -> bool:
    """Whether a plain text would be a key, or hold one."""
    return ":" in text and (text[-1] == ":" or ": " in text or ":\t" in text)


def _why(odd: str) -> str:
    return f"which cannot: {odd}" if odd else "which ended at the comment"


def _continued(source: Source, row: int, text: str, indent: int) -> tuple[Scalar, int]:
    """A plain text of several lines, folded."""
    lines = source.lines
    pieces = [text]
    breaks = 1
    at = row + 1
    while at < source.count:
        line = lines[at]
        rest = line.strip(" \t")
        if rest:
            deep = len(line) - len(line.lstrip(" "))
            if rest[0] == "#" or deep <= indent or (deep == 0 and is_marker(line)):
                break
            rest, ended = _continuation(source, row, at, indent)
            pieces += (_fold(breaks), rest)
            breaks = 0
            if ended:
                at += 1
                break
        breaks += 1
        at += 1
    return Scalar("".join(pieces), source.first + row, "plain"), skip(source, at)


def _continuation(source: Source, row: int, at: int, indent: int) -> tuple[str, bool]:
    """One further line of a plain text, and whether a comment ended it."""
    line = source.lines[at]
    start = past_blanks(line, 0)
    text = _without_comment(source, at, start)
    if not has_colon(text):
        return text, len(text) < len(line.rstrip(" \t")) - start
    opened = source.first + row
    if indent < 0:
        advice = "Remove what is not YAML; begin with 'operations:'."
        raise source.bad(row, f"this is no 'key: value' line, though line {source.first + at} is one", advice)
    advice = (
        f"Indent it by {spaces(indent)} if it is a key; if it belongs to the text of line {opened}, use '|-' there."
    )
    raise source.bad(at, f"a key is indented by {spaces(start)}, deeper than the key of line {opened}", advice)


def _fold(breaks: int) -> str:
    """What line ends within a folded text become."""
    return " " if breaks == 1 else "\n" * (breaks - 1)


def spaces(count: int) -> str:
    """A number of spaces, in words."""
    return "1 space" if count == 1 else f"{count or 'no'} spaces"


# ── quoted ───────────────────────────────────────────────────────────────────────────────────────


def quoted(source: Source, row: int, start: int, indent: int) -> tuple[str, int, int]:
    """The text of the quotes that open at (row, start), and the place behind them."""
    line = source.lines[row]
    quote = line[start]
    end = line.find(quote, start + 1)
    if end > 0 and (line[end + 1 : end + 2] != quote if quote == "'" else "\\" not in line[start:end]):
        return line[start + 1 : end], row, end + 1
    pieces: list[str] = []
    at, start, wrong = row, start + 1, None
    while True:
        escaped, end, bad = (_single if quote == "'" else _double)(source, at, start, pieces)
        wrong = wrong or bad
        if end >= 0:
            break
        at, start, breaks = _next_line(source, row, at, indent)
        pieces.append("\n" * (breaks - 1) if escaped else _fold(breaks))
    if wrong:
        wrong.resume = at + 1
        raise wrong
    return "".join(pieces), at, end


def _next_line(source: Source, row: int, at: int, indent: int) -> tuple[int, int, int]:
    """The place behind row `at` where the text quoted since `row` goes on, and the number of line ends up to it."""
    breaks = 1
    while (at := at + 1) < source.count:
        line = source.lines[at]
        start = past_blanks(line, 0)
        if is_marker(line) or (start <= indent and looks_structural(line)):
            # A forgotten quote must not swallow the keys below it, though some readers of YAML would let it.
            break
        if start < len(line):
            return at, start, breaks
        breaks += 1
    bad = source.bad(row, f"the quote that opens in line {source.first + row} is not closed", f"Close it. {QUOTE}")
    bad.reached = at
    raise bad


def _single(source: Source, row: int, start: int, pieces: list[str]) -> tuple[bool, int, Bad | None]:
    """One line of a single-quoted text; the offset behind the closing quote, or -1."""
    line = source.lines[row]
    while (end := line.find("'", start)) >= 0:
        pieces.append(line[start:end])
        if line[end + 1 : end + 2] != "'":
            return False, end + 1, None
        pieces.append("'")
        start = end + 2
    pieces.append(line[start:].rstrip(" \t"))
    return False, -1, None


def _double(source: Source, row: int, start: int, pieces: list[str]) -> tuple[bool, int, Bad | None]:
    """One line of a double-quoted text: whether its line end is escaped, the offset behind the quote or -1."""
    line = source.lines[row]
    quote = line.find('"', start)
    wrong = None
    while True:
        slash = line.find("\\", start, quote if quote >= 0 else len(line))
        if slash < 0:
            pieces.append(line[start:quote] if quote >= 0 else line[start:].rstrip(" \t"))
            return False, quote + 1 if quote >= 0 else -1, wrong
        pieces.append(line[start:slash])
        if slash + 1 == len(line):
            return True, -1, wrong
        sign, start = _escape(line, slash + 1)
        if not sign:
            shown = line[slash:start]
            advice = f"Write '\\\\' for a backslash, or put the text under '|-', where {shown} stays as it is."
            wrong = wrong or source.bad(row, f"{shown} is no escape of a double-quoted text", advice)
        pieces.append(sign)
        if quote >= 0 and quote < start:
            quote = line.find('"', start)


def _escape(line: str, start: int) -> tuple[str, int]:
    """The sign that the escape whose letter stands at `start` means ("" if none), and the offset behind it."""
    letter = line[start]
    if letter in _ESCAPES:
        return _ESCAPES[letter], start + 1
    code, end = _code(line, start)
    if 0xD800 <= code < 0xDC00 and line[end : end + 2] == "\\u":
        # JSON writes signs beyond the first plane as two halves.
        low, behind = _code(line, end + 1)
        if 0xDC00 <= low < 0xE000:
            return chr(0x10000 + ((code - 0xD800) << 10) + low - 0xDC00), behind
    if 0 <= code < 0xD800 or 0xE000 <= code < 0x110000:
        return chr(code), end
    return "", end


def _code(line: str, start: int) -> tuple[int, int]:
    """The number that a hexadecimal escape writes out, or -1, and the offset behind it."""
    length = _CODES.get(line[start], 0)
    digits = pattern("hex").match(line, start + 1, start + 1 + length)
    if not length or not digits or len(digits[0]) < length:
        return -1, digits.end() if digits else start + 1
    return int(digits[0], 16), digits.end()


# ── block ────────────────────────────────────────────────────────────────────────────────────────


def block(source: Source, row: int, header: str, indent: int) -> tuple[Scalar, int]:
    """The text below a header such as `|-` or `>2+`, whose parent's column is `indent`, and the row behind it."""
    lines = source.lines
    indent = indent if indent > 0 else 0
    given = 0 if header in HEADERS else int(header.strip("|>+-"))
    width = indent + given
    if not given:
        at = row + 1
        while at < source.count and not (text := lines[at].lstrip(" ")):
            at += 1
        width = len(lines[at]) - len(text) if at < source.count else 0
        if width <= indent:
            return _shallow(source, row, at, header, indent)
        if at > row + 1 and max(map(len, lines[row + 1 : at])) > width:
            source.note(row, "a blank line above the text holds more spaces than the text is indented by")
    body, after = _body(source, row + 1, width)
    if after < source.count:
        line = lines[after]
        deep = len(line) - len(line.lstrip(" "))
        if deep > indent and (least := _least(source, row, after, indent, given > 0)):
            body, after = _body(source, row + 1, least)
        elif given and not any(body):
            _check_flush(source, row, after)
        if after < source.count:
            body.append("")
    text = "\n".join(body)
    text = text.rstrip("\n") if header == "|-" else _finished(text, header)
    return Scalar(text, source.first + row, "block"), skip(source, after)


def _body(source: Source, row: int, width: int) -> tuple[list[str], int]:
    """The lines that are blank or indented by `width`, without that; and the row behind them."""
    lines = source.lines
    pad = " " * width
    body = []
    for at in range(row, source.count):
        line = lines[at]
        if line.startswith(pad):
            body.append(line[width:])
        elif not line.strip(" \t"):
            body.append("")
        else:
            return body, at
    return body, source.count


def _finished(text: str, header: str) -> str:
    """Fold and chomp."""
    core = text.rstrip("\n")
    if header[0] == ">":
        tail = text[len(core) :]
        core = _folded(core)
        text = core + tail
    if "+" in header:
        return text
    return core if "-" in header or not core else text[: len(core) + 1]


def _folded(core: str) -> str:
    """Single line ends between lines that begin at the indentation become spaces."""
    pieces: list[str] = []
    breaks, flush = 0, False
    first = True
    for line in core.split("\n"):
        if not line:
            breaks += 1
            continue
        starts_flush = line[0] not in " \t"
        if first:
            pieces.append("\n" * breaks)
        elif flush and starts_flush:
            pieces.append("\n" * breaks or " ")
        else:
            pieces.append("\n" * (breaks + 1))
        pieces.append(line)
        breaks, flush, first = 0, starts_flush, False
    return "".join(pieces)


def _least(source: Source, row: int, after: int, indent: int, given: bool) -> int:
    """The least indentation of a text whose lines from `after` on are shallower than its first, yet within the key.

    0 where nothing but comments follows there: they are comments.
    """
    least, only_comments = 0, True
    for at in range(after, source.count):
        line = source.lines[at]
        text = line.lstrip(" ")
        if text:
            deep = len(line) - len(text)
            if deep <= indent:
                break
            least = min(least or deep, deep)
            only_comments = only_comments and text[0] == "#"
    if only_comments:
        source.note(after, "a line that is indented less than the text above it was read as a comment")
        return 0
    if given:
        advice = "Indent every line of the text by at least that, or leave the digit out."
        raise source.bad(after, f"the header in line {source.first + row} states a deeper indentation", advice)
    source.note(row, "the first line of the text is deeper than later ones; the least indentation was taken off")
    return least


def _shallow(source: Source, row: int, at: int, header: str, indent: int) -> tuple[Scalar, int]:
    """A block text whose first line is no deeper than its key: empty, or indented by tabs."""
    if at < source.count and source.lines[at].lstrip(" ")[0] == "\t":
        body, after = _tabbed(source, row, at, indent)
        text = "\n".join([""] * (at - row - 1) + body) + ("\n" if after < source.count else "")
        return Scalar(_finished(text, header), source.first + row, "block"), skip(source, after)
    _check_flush(source, row, at)
    text = "\n" * (min(at, source.count - 1) - row - 1) if at > row + 1 else ""
    return Scalar(_finished(text, header), source.first + row, "block"), skip(source, at)


def _tabbed(source: Source, row: int, at: int, indent: int) -> tuple[list[str], int]:
    """Lines indented by tabs where spaces were due: taken if all of them are, less what they have in common."""
    lines = source.lines
    body: list[str] = []
    common: str | None = None
    after = at
    while after < source.count:
        line = lines[after]
        text = line.lstrip(" \t")
        blanks = line[: len(line) - len(text)]
        if text:
            deep = len(line) - len(line.lstrip(" "))
            if deep <= indent and "\t" not in blanks:
                break
            common = blanks if common is None else _shared(common, blanks)
            if deep > indent or not common:
                raise source.bad(after, "tabs and spaces are mixed in the indentation of the text", "Use spaces only.")
        body.append(line if text else "")
        after += 1
    width = len(common or "")
    source.note(row, "the text is indented with tabs; what all its lines begin with was taken off")
    return [line[width:] for line in body], after


def _shared(one: str, other: str) -> str:
    """What both begin with."""
    if other.startswith(one):
        return one
    return one[: next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(other))]


def _check_flush(source: Source, row: int, at: int) -> None:
    """Refuse an empty block text where the next line seems to be its text, without the indentation."""
    if at >= source.count:
        return
    line = source.lines[at]
    text = line.lstrip(" \t")
    if text and text[0] not in "\"'" and not looks_structural(line) and not pattern("word").match(text):
        advice = 'Indent the text deeper than its key; for an empty text write "".'
        raise source.bad(at, f"this line is not deeper than the key of the text in line {source.first + row}", advice)
