"""Comments of TOML, INI, YAML, shell scripts and Makefiles: those that certainly are some. Pure; parses nothing.

    color: "#fff"  # a comment          ${name#prefix}      in neither case the first `#`
    run: |
      # text, as far as YAML goes       echo "$(cat <<EOF   a `#` in there is text as well

What isn't certain is no comment: where a quote is never closed, none is told from there on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ..text import end_of_line
from .languages import COMMENT

Span = tuple[int, int]


def comments(text: str, language: str) -> list[tuple[int, int, int]]:
    """(start, end, COMMENT) of every comment that certainly is one, in order."""
    return [(start, end, COMMENT) for start, end in _SCANNERS[language](text)]


# ── TOML, INI, Makefiles ─────────────────────────────────────────────────────────────────────────


_TOML = re.compile(
    r'"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+"""|' + r"'''[^']*+(?:'(?!'')[^']*+)*+'''|"
    r""""(?!"")[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|'(?!'')[^'\n]*+'|(#[^\n]*+)|(["'])""",
    re.DOTALL,
)


def _toml(text: str) -> Iterator[Span]:
    for match in _TOML.finditer(text):
        if match[2]:
            return
        if match[1]:
            yield match.span(1)


def _ini(text: str) -> Iterator[Span]:
    """Whole lines alone: whether a sign behind a value begins a comment, every reader sees otherwise."""
    for match in re.finditer(r"^[ \t]*+([#;][^\n]*+)", text, re.MULTILINE):
        if text[match.start() - 2 : match.start()] != "\\\n":
            yield match.span(1)


def _make(text: str) -> Iterator[Span]:
    """Not in recipes, which are the shell's, nor in what `define` holds, nor behind a quote or an open bracket."""
    if ".RECIPEPREFIX" in text:
        return
    start, goes_on, defined = 0, False, 0
    for line in text.split("\n"):
        begins, goes_on = not goes_on, line.endswith("\\")
        bare = line.lstrip(" ")
        defined += bool(re.match(r"(?:override +|export +)?define\b", bare)) - bare.startswith("endef")
        if begins and not goes_on and defined <= 0 and not line.startswith("\t"):
            found = re.search(r"(?:^ *|[ \t])#", line)
            before = line[: found.end() - 1] if found else ""
            even = all(before.count(pair[0]) == before.count(pair[1]) for pair in ("()", "{}"))
            if found and even and not re.search(r"['\"`\\]", before):
                yield start + len(before), start + len(line)
        start += len(line) + 1


# ── YAML ─────────────────────────────────────────────────────────────────────────────────────────


_QUOTED = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|' + r"'[^']*+(?:''[^']*+)*+'", re.DOTALL)
_LED = re.compile(r"(?:[-?:]|---)(?=\s|\Z)|[!&*][^\s,\[\]{}]*+(?=\s|\Z)")  # what a value may stand behind
_BLOCK = re.compile(r"[|>][-+0-9]{0,2}[ \t]*+(?=[#\r\n]|\Z)")
_PLAIN = re.compile(r"(?:[^\s#:]|:(?!\s|\Z)|(?<!\s)#|[ \t]++(?![#\s]|\Z))++")
_FLOW = re.compile(r"[\[{]()|[\]}]()|(?<=[\[{,:\s])[\"']()|(?<=\s)#[^\n]*+()")
_SPACES = re.compile(" *+")
_AFTER = ("", "\n", "\r", " ", "\t", ":")  # what may stand behind a string


def _yaml(text: str) -> Iterator[Span]:
    """Value by value: a quote opens a string only where a value begins, and a block of text ends where it is left."""
    at = 0
    while at < len(text):
        line = at
        at = _end_of(_SPACES, text, at)
        depth, led, block = at - line, False, False
        while at < len(text) and text[at] != "\n":
            sign = text[at]
            if sign in " \t\r":
                at += 1
            elif sign == "#":
                if at > line and text[at - 1] not in " \t":
                    return
                yield at, (at := end_of_line(text, at))
            elif end := _end_of(_LED, text, at):
                at, led = end, True
            elif sign in "\"'":
                end = _end_of(_QUOTED, text, at)
                behind = text[end : end + 1]
                # on a line of its own it may as well be a word of the text above
                if not end or behind not in _AFTER or (not led and text.find("\n", at, end) >= 0):
                    return
                at, led = end, led or behind == ":"
            elif sign in "[{":
                end, inner = _flow(text, at)
                if not end:
                    return
                yield from inner
                at = end
            elif end := _end_of(_BLOCK, text, at):
                at, block = end, True
            elif end := _end_of(_PLAIN, text, at):
                at = end
            else:
                return
        at += 1
        if block and text.startswith("---", line):
            return
        while block and at < len(text):
            start = _end_of(_SPACES, text, at)
            if start - at <= depth and text[start : start + 1] not in ("\n", "\r", ""):
                break
            at = end_of_line(text, start) + 1


def _flow(text: str, at: int) -> tuple[int, list[Span]]:
    """The end of `[…]` or `{…}`, and the comments in it; 0 where it isn't closed."""
    depth, found = 0, []
    while match := _FLOW.search(text, at):
        at = match.end()
        if match.lastindex == 3:
            at = _end_of(_QUOTED, text, match.start())
            if not at:
                break
        elif match.lastindex == 4:
            found.append(match.span())
        else:
            depth += 1 if match.lastindex == 1 else -1
            if not depth:
                return at, found
    return 0, []


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where what begins at a place ends; 0 where nothing does."""
    match = pattern.match(text, at)
    return match.end() if match else 0


# ── shell ────────────────────────────────────────────────────────────────────────────────────────


_COMMON = r"\\.|(?P<open>\$\(\(|\$\(|\$\{|\"|`)"
_CODE = re.compile(
    _COMMON + r"|(?P<quoted>\$'[^'\\]*+(?:\\.[^'\\]*+)*+'?|'[^']*+'?)|(?P<comment>(?<![^\s;])#[^\n]*+)|(?P<line>\n)"
    r"|(?P<bracket>\(\(|\()|(?P<close>\))|(?P<case>\bcase\s)"
    r"|<<<|(?P<here><<-?)(?:[ \t]*+(?:'([^'\n]++)'|\"([^\"\n]++)\"|\\?([A-Za-z_][\w.-]*+)))?",
    re.DOTALL,
)
_STRING = re.compile(_COMMON, re.DOTALL)
_EXPANSION = re.compile(_COMMON + r"|(?P<close>\})|(?P<quoted>'[^']*+'?)", re.DOTALL)


def _shell(text: str) -> list[Span]:
    """By what is open: strings, `$(…)`, `${…}`, `$((…))`, each in any other; a text in `<<EOF` is passed over."""
    found: list[Span] = []
    opened: list[str] = []  # what is open: as it was opened
    start, at = 0, 0  # of the outermost that is open
    waiting: list[tuple[str, bool]] = []  # the ends of texts that begin on the next line, and whether tabs may precede
    certain = True
    while certain:
        top = opened[-1] if opened else ""
        match = (_STRING if top == '"' else _EXPANSION if top == "${" else _CODE).search(text, at)
        if match is None:
            break
        at, kind, sign = match.end(), match.lastgroup, match[0]
        here = match.re is _CODE and match["here"]
        if here:
            label = match[9] or match[10] or match[11]
            waiting.append((label or "", sign.startswith("<<-")))
            certain = bool(label) and top not in ("((", "$((")
        elif sign == top and sign in '"`':
            opened.pop()
        elif kind in ("open", "bracket"):
            start = start if opened else match.start()
            opened.append(sign)
        elif kind == "close" and opened:
            certain = top != "`"
            if top in ("((", "$(("):
                certain, at = text.startswith(")", at), at + 1
            opened.pop()
        elif kind == "quoted":
            certain = len(sign) > 1 and sign[-1] == "'" and sign != "$'" and not (top == "${" and '"' in opened)
        elif kind == "case":
            certain = not opened
        elif kind == "comment" and top in ("((", "$(("):
            at = match.start() + 1
        elif kind == "comment":
            certain = "`" not in opened
            found.append(match.span())
        elif kind == "line":
            for label, tabs in waiting:
                line = ("\t*+" if tabs else "") + re.escape(label)
                end = re.compile(rf"^{line}\r?$", re.MULTILINE).search(text, at)
                certain, at = certain and end is not None, end.end() if end else at
            waiting = []
    if certain and not opened and not waiting:
        return found
    limit = start if opened else at
    return [span for span in found if span[0] < limit]


_SCANNERS: dict[str, Callable[[str], Iterator[Span] | list[Span]]] = {
    "toml": _toml, "ini": _ini, "make": _make, "yaml": _yaml, "bash": _shell,
}  # fmt: skip
