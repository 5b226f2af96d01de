"""A model's whole answer as one patch: pages and escapes seen through, several patches and formats in order. Pure."""

from __future__ import annotations

from . import registry
from .errors import Problem, Refused
from .formats._answer import Body, fences
from .model import Note, Patch
from .record import NamedTuple
from .text import BOM, patch_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .model import Tally

FOUND = 30
_SURE = 50
_DEDENTED = "the indentation of the whole patch was dropped"


class Part(NamedTuple):
    """Some lines of the answer (0-based, half open) and the format they look like most."""

    start: int
    end: int
    format: str


def read_answer(text: str, tally: Tally | None = None) -> Patch:
    """What the answer says, in whatever formats it says it; Refused where it holds no patch, or too long a one."""
    if not text.strip().strip(BOM):
        raise Refused(Problem("no_patch", "the text is empty", advice="Give the patch as a file or on standard input."))
    others = _seen_through(text)
    if not others and registry.score("chunk", text) >= FOUND and _is_document(text):
        return read_as("chunk", text, tally)  # whatever else it looks like
    readings = [(scores(seen), seen, note) for seen, note in ((text, ""), *others)]
    # Of several readings the one that looks most like a patch; the text itself, if none looks more like one.
    # A text that is indented throughout is never meant to be.
    found, seen, note = max(readings, key=lambda reading: (reading[0][0][1], reading[2] == _DEDENTED))
    if found[0][1] >= FOUND:
        patch = _parsed(seen, [name for name, score in found if score >= FOUND], tally)
        return patch._replace(notes=(Note(note, patch_line=1), *patch.notes)) if note else patch
    looked = ", ".join(registry.names())
    raise Refused(Problem("no_patch", f"the text looks like none of: {looked}", advice="Name it with --format NAME."))


def scores(text: str) -> tuple[tuple[str, int], ...]:
    """How much the text looks like each format (0 to 100), best first."""
    found = [(name, registry.score(name, text)) for name in registry.names()]
    return tuple(sorted(found, key=lambda pair: -pair[1]))


# ── several patches ──────────────────────────────────────────────────────────────────────────────


def read_as(name: str, text: str, tally: Tally | None = None) -> Patch:
    """What the text says in one format."""
    format = registry.named(name)
    return format.tallied(text, tally) if tally and format.tallied else format.parse(text)


def _parsed(text: str, names: list[str], tally: Tally | None) -> Patch:
    if len(names) == 1:
        return read_as(names[0], text, tally)
    if "chunk" in names and _is_document(text):
        return read_as("chunk", text, tally)
    parts = _parts(patch_lines(text))
    formats = list(dict.fromkeys(part.format for part in parts))
    if len(formats) < 2:
        return read_as(formats[0] if formats else names[0], text, tally)
    return _joined(text, parts, formats, tally)


def _is_document(text: str) -> bool:
    """Whether all of a text is one CHUNK document: what its payloads hold is then no patch of its own."""
    # Joined to the line above, indented lines needn't be looked at.
    lines = patch_lines(text) if "\r" in text else text.removeprefix(BOM).replace("\n ", " ").split("\n")
    margin = [line for line in lines if line[:1] not in ("", " ", "\t")]
    keys = ("operations:", "language:", "description:", "- ")
    return margin[:1] != [] and not margin[0].startswith("- ") and all(line.startswith(keys) for line in margin)


def _parts(lines: list[str]) -> list[Part]:
    """Every fence, and what is outside of all of them, that looks like a format for itself."""
    found = []
    bodies = fences(lines)
    for body in bodies:
        start = max(body.first - 4, 0)
        best = scores("\n".join(lines[start : body.first + len(body.lines)]))[0]
        if best[1] >= FOUND:
            found.append(Part(body.first - 2, body.first + len(body.lines), best[0]))
    outside = [name for name, score in scores("\n".join(_without(lines, bodies))) if score >= _SURE]
    found += [Part(0, 0, name) for name in outside]
    return found


def _without(lines: list[str], bodies: list[Body]) -> list[str]:
    """The lines with all fences blanked out."""
    rest = list(lines)
    for body in bodies:
        for row in range(body.first - 2, min(body.first + len(body.lines), len(rest))):
            rest[row] = ""
    return rest


def _joined(text: str, parts: list[Part], formats: list[str], tally: Tally | None) -> Patch:
    """Each format reads what is not another's; the operations are taken in the order of the answer."""
    loose = [part.format for part in parts if part.end == 0]
    if len(loose) > 1:
        detail = f"patches in {' and '.join(loose)} stand side by side and can't be told apart"
        return Patch("", problems=(Problem("bad_patch", detail, patch_line=1, advice="Put each into a code fence."),))
    lines = patch_lines(text)
    patches = []
    for name in formats:
        own = list(lines)
        for part in parts:
            if part.format != name and part.end:
                own[part.start : part.end + 1] = [""] * len(own[part.start : part.end + 1])
        patches.append(read_as(name, "\n".join(own), tally))
    ops = sorted((op for patch in patches for op in patch.ops), key=lambda op: op.patch_line)
    notes = (Note(f"the answer holds several formats: {', '.join(formats)}", patch_line=1),)
    return Patch(
        " + ".join(formats),
        tuple(ops),
        next((patch.description for patch in patches if patch.description), ""),
        tuple(sorted((p for patch in patches for p in patch.problems), key=lambda p: p.patch_line)),
        notes + tuple(note for patch in patches for note in patch.notes),
        prose=next((patch.prose for patch in patches if patch.prose), ""),
    )


# ── pages, escapes, indentation ──────────────────────────────────────────────────────────────────


def _seen_through(text: str) -> list[tuple[str, str]]:
    """Other readings of the same lines."""
    found = []
    as_it_is = "&" not in text or not _is_no_patch(text)
    if "&" in text and ("&nbsp;" in text or "<br" in text) and (not as_it_is or _is_page(text)):
        found.append((_from_page(text), "the patch was read out of an HTML page"))
    if not as_it_is and is_escaped(text):
        found.append((unescaped(text), "HTML escapes were read as the characters they stand for"))
    whole = dedented(text)
    return found if whole is None else [*found, (whole, _DEDENTED)]


def dedented(text: str) -> str | None:
    """The text without the indentation that all of its lines share; None where they share none."""
    if text.lstrip("\ufeff\r\n")[:1] not in (" ", "\t"):
        return None
    lines = patch_lines(text)
    inner = [line for line in lines if line.strip()]
    depth = min((len(line) - len(line.lstrip(" \t")) for line in inner), default=0)
    if not depth or len(inner) < 2 or len({line[:depth] for line in inner}) > 1:
        return None
    return "\n".join(line[depth:] for line in lines)


def _is_no_patch(text: str) -> bool:
    """Whether a text as it stands is no patch: none at all, or files in fences that begin with an escaped marker."""
    best = scores(text)[0]
    if best[1] < FOUND:
        return True
    if best[0] not in ("whole-file", "elided"):
        return False
    heads = [next((line.strip() for line in body.lines if line.strip()), "") for body in fences(patch_lines(text))]
    return any(head.startswith("&") and unescaped(head).startswith(_OPENERS) for head in heads)


def _is_page(text: str) -> bool:
    """Whether the whole text is an HTML page, not a patch that holds one."""
    return text.lstrip().lower().startswith(("<!doctype html", "<html", "<body", "<div", "<pre", "<p>"))


_OPENERS = ("<<<<<", "<file ", "<document ", "<invoke", "<function")
_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#34;", '"'), ("&#39;", "'"), ("&#x27;", "'"),
            ("&apos;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&"), ("&amp;", "&"))  # fmt: skip


def is_escaped(text: str) -> bool:
    """Whether a text holds HTML escapes of the signs that code is made of."""
    return "&" in text and any(escape in text for escape, _ in _ESCAPES)


def escaped_signs(text: str) -> set[str]:
    """The signs that a text holds the escapes of."""
    return {sign for escape, sign in _ESCAPES if escape in text}


def unescaped(text: str) -> str:
    """The text with those escapes read; others, as in `?a=1&copy=2`, are no escapes of code."""
    for escape, sign in _ESCAPES:
        text = text.replace(escape, sign)
    return text


def _from_page(text: str) -> str:
    """The lines of a page that shows text by `<br>` and `&nbsp;`; its own tags become blank lines."""
    import re

    lines = []
    for line in patch_lines(text):
        bare = re.sub(r"<br\s{0,4}/?>", "", line, flags=re.IGNORECASE)
        if bare == line and re.fullmatch(r"\s*<[!/a-zA-Z][^<>]*>(?:[^<>]*</[a-zA-Z]+>)?\s*", line):
            bare = ""
        lines.append(unescaped(bare.replace("&nbsp;", " ")))
    return "\n".join(lines)
