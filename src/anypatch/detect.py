"""A model's whole answer as one patch: a bare one, one in a page, escaped, indented; `answer` reads any other. Pure."""

from __future__ import annotations

import re

from . import formats
from .formats import CONFLICT, FOUND, SHOWN, scores
from .model import Note, Patch
from .parsing.fences import fences
from .problems import Problem, Refused
from .text import BOM, patch_lines, shared_indent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .limits import Tally


_LISTED = 4  # fences that are named in a refusal
_WORDS = 40  # characters of a fence's opening line that are shown


def read(text: str, format: str = "", tally: Tally | None = None, file: str = "") -> Patch:
    """What a text says, in the format named or in those it looks like. `tally` may refuse it before it is all read.

    `file`: the path for fences and edits for which the answer names none.
    """
    text = _without_thinking(text)
    try:
        patch = read_as(format, dedented(text) or text, tally, file) if format else read_answer(text, tally, file)
    except Refused:
        if not was_escaped(text):
            raise
        patch = Patch("", problems=(Problem("no_patch"),))
    if patch.problems and was_escaped(text):
        return read_escaped(text, format, tally, file)
    return patch._replace(file=file) if file else patch


def read_escaped(text: str, format: str = "", tally: Tally | None = None, file: str = "") -> Patch:
    """What an answer says that was escaped for HTML as a whole."""
    patch = read(unescaped(text), format, tally, file)
    return patch._replace(notes=(*patch.notes, Note("HTML escapes were decoded", patch_line=1)))


_THINKING = ("think", "thinking", "reasoning", "thought", "scratchpad")
_THOUGHT = rf"\s*<({'|'.join(_THINKING)})>"
_THOUGHT_ENDS = tuple(f"</{tag}>" for tag in _THINKING)


def _without_thinking(text: str) -> str:
    """The answer with blank lines for what the model thought before it: a draft there isn't meant.

    <think>                         the first tag may be missing, where the host's prompt ends in it
    Perhaps `return 1`, so: …
    </think>
    """
    if "</" not in text and text.lstrip()[:1] != "<":
        return text
    opened = re.match(_THOUGHT, text)
    if opened is not None:
        closing = f"</{opened[1]}>"
        closed = re.search(rf"(?<![`\"']){closing}(?![`\"'])", text)
        if closed is None:
            advice = f"Close it with `{closing}`, then send the edits."
            raise Refused(Problem("truncated", f"the answer ends inside `<{opened[1]}>`", patch_line=1, advice=advice))
        end = closed.end()
    else:
        lines = patch_lines(text) if any(map(text.__contains__, _THOUGHT_ENDS)) else []
        row = next((row for row, line in enumerate(lines) if line.strip() in _THOUGHT_ENDS), -1)
        if row < 0 or _is_in_block(text, row):
            return text
        end = len("\n".join(text.split("\n")[: row + 1]))
    return "\n" * text.count("\n", 0, end) + text[end:]


def _is_in_block(text: str, row: int) -> bool:
    """Whether a row of an answer is a line of a fence or of a patch."""
    from .answer import WRAPPER, outline

    return any(block.start <= row < block.end for block in outline(text) if block.kind != WRAPPER)


def read_answer(text: str, tally: Tally | None = None, file: str = "") -> Patch:
    """What the answer says, in whatever formats it says it; Refused where it holds no patch, or too long a one.

    `file`: the path of fences and edits for which the answer names none.
    """
    if not text.strip().strip(BOM):
        raise Refused(Problem("no_patch", "the answer is empty", advice="Send the edits."))
    readings = _readings(text)
    if len(readings) == 1 and _is_document(text) and formats.score("chunk", text) >= FOUND:
        return read_as("chunk", text, tally)  # whatever else it looks like
    quotes: list[Note] = []
    patches: list[Patch] = []
    for reading, note in readings:
        patch = _read(reading, tally, quotes, file)
        if patch is not None:
            patches.append(patch._replace(notes=(Note(note, patch_line=1), *patch.notes)) if note else patch)
            if not patch.problems:
                return patches[-1]
    if patches:
        return patches[0]
    if quotes:
        detail = f"there is nothing to apply: {quotes[0].text}"
        advice = "Write the file's path alone on a line, then its new contents in a fence; or send a patch."
        raise Refused(Problem("no_patch", detail, quotes[0].path, quotes[0].patch_line, advice=advice))
    raise Refused(_seen(text))


def _seen(text: str) -> Problem:
    """The refusal of an answer without any patch: what was seen in it instead."""
    lines = patch_lines(text)
    script: Problem | None = formats.named("unified").reader.script_in(lines)
    if script is not None:
        return script
    found = list(fences(lines))
    if not found:
        return Problem("no_patch", "the answer is only prose: no code fence, no diff, no edit blocks", patch_line=1)
    listed = [f"line {region.start} ({lines[region.start - 1].strip()[:_WORDS]})" for region in found[:_LISTED]]
    more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    which = "its fence" if len(found) == 1 else f"its {len(found)} fences"
    return Problem(
        "no_patch", f"the answer names no file for {which}: {', '.join(listed)}{more}", patch_line=found[0].start,
        advice="Write the file's path alone on the line above its fence, or send a diff or SEARCH/REPLACE blocks.",
        command="--file PATH names the file for all of them.",
    )  # fmt: skip


def read_as(name: str, text: str, tally: Tally | None = None, file: str = "") -> Patch:
    """What the text says in one format."""
    return formats.named(name).parse(text, tally, file)


def _read(text: str, tally: Tally | None, quotes: list[Note], file: str) -> Patch | None:
    """What a text says; None where it holds no patch, with notes on what it only quotes."""
    name = _one_block(text)
    if name:
        return read_as(name, text, tally, file)
    from .answer import read_constructs  # most of reading, and a bare patch needs none of it

    return read_constructs(text, tally, quotes, file)


def _one_block(text: str) -> str:
    """The format of a text that is one block of it from its first line to its last; "" for any other.

    What its lines look like besides is no matter: they are lines of files.
    """
    if text.lstrip(f"{BOM} \t\r\n")[:1] in ("<", "[", "{", "`", "~"):
        return ""
    lines = patch_lines(text)
    row = 0
    while row + 1 < len(lines) and not lines[row].strip():
        row += 1
    kind = formats.opening(lines, row)
    if kind in ("", "chunk", CONFLICT):
        return ""
    end = formats.block_end(kind, lines, row, len(lines), False)
    return kind if end > row and not any(map(str.strip, lines[end:])) else ""


_KEYS = ("operations:", "language:", "description:")  # at the margin of a CHUNK document


def _is_document(text: str) -> bool:
    """Whether all of a text is one CHUNK document: what its payloads hold is then no patch of its own."""
    first = text.lstrip(f"{BOM}\r\n")
    if not first.startswith((" ", "\t", *_KEYS)):
        return False
    # Joined to the line above, indented lines needn't be looked at.
    lines = patch_lines(text) if "\r" in text else text.removeprefix(BOM).replace("\n ", " ").split("\n")
    margin = [line for line in lines if line[:1] not in ("", " ", "\t")]
    return margin[:1] != [] and margin[0].startswith(_KEYS) and all(line.startswith((*_KEYS, "- ")) for line in margin)


# ── pages, escapes, indentation ──────────────────────────────────────────────────────────────────


def _readings(text: str) -> list[tuple[str, str]]:
    """What the text may be meant to be, and how that was got: as it is, out of a page, without escapes.

    A text that is indented throughout is never meant to be: without its indentation it comes first.
    """
    readings = [(text, "")]
    if "&" in text:
        is_marked_up, escaped = "&nbsp;" in text or "<br" in text, is_escaped(text)
        no_patch = (is_marked_up or escaped) and _is_no_patch(text)
        if is_marked_up and (no_patch or _is_page(text)):
            readings.append((_from_page(text), "the patch was read out of an HTML page"))
        if no_patch and escaped:
            readings.append((unescaped(text), "HTML escapes were decoded"))
    outdented = dedented(text)
    if outdented is not None:
        readings.insert(0, (outdented, "the indentation of the whole patch was dropped"))
    return readings


def dedented(text: str) -> str | None:
    """The text without the indentation that all of its lines share; None where they share none."""
    if text.lstrip("\ufeff\r\n")[:1] not in (" ", "\t"):
        return None
    lines = patch_lines(text)
    shared = shared_indent(lines)
    if not shared or sum(map(bool, map(str.strip, lines))) < 2:
        return None
    return "\n".join(line[len(shared) :] for line in lines)


def _is_no_patch(text: str) -> bool:
    """Whether a text as it stands is no patch: none at all, or files in fences that begin with an escaped marker."""
    if _one_block(text):
        return False
    name, score = scores(text)[0]
    if score < FOUND or name not in SHOWN:
        return score < FOUND
    heads = [next((line.strip() for line in fence.body if line.strip()), "") for fence in fences(patch_lines(text))]
    return any(head.startswith("&") and unescaped(head).startswith(_OPENERS) for head in heads)


def _is_page(text: str) -> bool:
    """Whether the whole text is an HTML page, not a patch that holds one."""
    return text.lstrip().lower().startswith(("<!doctype html", "<html", "<body", "<div", "<pre", "<p>"))


_OPENERS = ("<<<<<", "<file ", "<document ", "<invoke", "<function")
_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#34;", '"'), ("&#39;", "'"), ("&#x27;", "'"),
            ("&apos;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&"), ("&amp;", "&"))  # fmt: skip


_BARE = r'[<>"]|&(?!(?:lt|gt|amp|quot|apos|#39|#34|#x27);)'  # what an escaped text has none of


def was_escaped(text: str) -> bool:
    """Whether a whole answer was escaped for HTML: entities, and none of the characters they stand for.

        if a &lt; b and c == &quot;x&quot;

    An edit of an HTML file has tags; code that speaks of entities has quotes around them.
    """
    return "&" in text and is_escaped(text) and re.search(_BARE, text) is None


def is_escaped(text: str) -> bool:
    """Whether a text holds HTML escapes of the signs that code is made of."""
    return "&" in text and re.search("|".join(escape for escape, _ in _ESCAPES), text) is not None


def escaped_signs(text: str) -> set[str]:
    """The signs that a text holds the escapes of."""
    return {sign for escape, sign in _ESCAPES if escape in text}


def without_escapes(text: str) -> str:
    """The text with those escapes left out."""
    for escape, _ in _ESCAPES:
        text = text.replace(escape, "")
    return text


def unescaped(text: str) -> str:
    """The text with those escapes read; others, as in `?a=1&copy=2`, are no escapes of code."""
    for escape, sign in _ESCAPES:
        text = text.replace(escape, sign)
    return text


def _from_page(text: str) -> str:
    """The lines of a page that shows text by `<br>` and `&nbsp;`; its own tags become blank lines."""
    lines = []
    for line in patch_lines(text):
        bare = re.sub(r"<br\s{0,4}/?>", "", line, flags=re.IGNORECASE)
        if bare == line and re.fullmatch(r"\s*<[!/a-zA-Z][^<>]*>(?:[^<>]*</[a-zA-Z]+>)?\s*", line):
            bare = ""
        lines.append(unescaped(bare.replace("&nbsp;", " ")))
    return "\n".join(lines)
