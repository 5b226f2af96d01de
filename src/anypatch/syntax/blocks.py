"""The front door of the blocks: where one ends, and how a new one is joined to the rest of its last line. Pure."""

from __future__ import annotations

from ..problems import Problem
from .block_end import BlockEnd
from .languages import C_STYLE, PYTHON, XML, Language

_OWN = {"c_style": C_STYLE, "py": PYTHON, "xml": XML}


def block_end(
    kind: str, text: str, language: Language | None, first: int, last: int, payload: str
) -> BlockEnd | Problem:
    """Where the block ends that begins in lines first..last (0-based, inclusive) of the text.

    `payload`, the new text, decides between two blocks that begin there. `language` counts where its family fits.
    """
    spoken = _spoken(kind, language)
    if kind == "py":
        from . import python

        return python.block_end(text, first, last)
    if kind == "xml":
        from . import xml

        return xml.block_end(text, spoken, first, last)
    from . import braces

    return braces.block_end(text, spoken, (first, last), payload)


def close(kind: str, payload: list[str], rest: str, language: Language | None) -> list[str] | Problem:
    """The payload's lines joined with `rest`, what stands behind the old block's end on its line."""
    if kind == "py" or not rest.strip():
        return payload
    if kind == "xml":
        from . import xml

        return xml.close(payload, rest)
    from . import braces as closing

    return closing.close_braces(payload, rest, _spoken(kind, language))


def doubled(kind: str, text: str, language: Language | None, rows: tuple[int, int], payload: str) -> str:
    """What a payload has of its own though it stands beside the block: a decorator above, `except` below; else "".

    `rows`: the first and the last line (0-based) of the block.
    """
    if kind == "py":
        from . import python

        return python.doubled(text, *rows, payload)
    if kind == "xml":
        return ""
    from . import braces

    return braces.doubled(text, _spoken(kind, language), rows[0], payload)


def _spoken(kind: str, language: Language | None) -> Language:
    own = _OWN[kind]
    return language if language and language.family == own.family else own
