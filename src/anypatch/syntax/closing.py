"""A new block in braces and what stood behind the old one on its line: how the two are joined. Sees no file."""

from __future__ import annotations

from ..errors import Problem
from .braces import balance, continuation
from .forms import pattern
from .lexer import mask, tokens
from .places import no_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .languages import Language

_LEAVE_OR_TAKE = "Include that part of the statement in the marker and the payload, or leave it out of the payload."


def close(payload: list[str], rest: str, language: Language) -> list[str] | Problem:
    """The payload's lines with `rest` where it still belongs."""
    bare = mask(rest, tokens(rest, language))
    text = "\n".join(payload)
    if not text.strip():
        return _nothing(rest, bare)
    masked = mask(text, tokens(text, language))
    point = len(masked.rstrip())
    kept = _kept(rest, bare, masked[:point], text[point:])
    if isinstance(kept, Problem):
        return kept
    return (text[:point] + kept + text[point:]).split("\n")


def _nothing(rest: str, bare: str) -> list[str] | Problem:
    """The block goes: its semicolon goes too, but half a statement may not stay."""
    code = bare.strip()
    word = pattern(r"else|catch|finally|while").match(code)
    if word or (code[:1] in tuple(").]:?=|&+-*/%<>(,") and code != ","):
        detail = f"`{code}` behind the block continues its statement"
        return no_block(detail, 0, "Include that part in the marker, or replace the lines as plain text.")
    if code[:1] in (";", ","):
        at = bare.index(code[0])
        rest = rest[:at] + rest[at + 1 :]
    return [rest.strip(" \t")] if rest.strip() else []


def _kept(rest: str, bare: str, masked: str, comment: str) -> str | Problem:
    """What of `rest` stays behind the payload's code `masked`; `comment` is the payload's own at its end."""
    code = bare.strip()
    if not code:
        # a comment that goes on below must stay, also beside the payload's own
        return "" if comment.strip() and not _goes_on(rest) else rest
    tail = masked[masked.rfind("}") + 1 :].strip() if "}" in masked else masked[-1:].strip(" }")
    word = pattern(r"(?:else|catch|finally|while)\b").match(code)
    own = continuation(masked)
    if word and own and not (word.group() == "while" and tail.startswith("while")):
        return _two(f"`{word.group()}` follows the block, and the payload has `{own}` of its own")
    if code[0] == ";":
        return rest[bare.index(";") + 1 :] if tail.endswith(";") else rest
    if not tail or "}" not in masked:
        return rest
    return _replaced(rest, bare, code, tail)


def _replaced(rest: str, bare: str, code: str, tail: str) -> str | Problem:
    """The payload has text of its own behind its last brace: it takes the place of the file's, up to the semicolon."""
    at = bare.find(";") + 1 or len(bare.rstrip())
    part = balance(bare, 0, at)
    other_statement = tail == ";" and (code[0].isalpha() or code[0] in "_{}#@~")
    if part.opening or part.closing or other_statement or pattern(r"(?:else|catch|finally)\b").match(code):
        return _two(f"`{code}` follows the block, and the payload ends in `{tail}`")
    return rest[at:]


def _two(detail: str) -> Problem:
    return Problem("ambiguous", detail, advice=_LEAVE_OR_TAKE)


def _goes_on(rest: str) -> bool:
    """Whether the comment at the end of the line is not closed on it."""
    return rest.rfind("/*") > rest.rfind("*/") and "//" not in rest[: rest.rfind("/*")]
