"""Reports as words for people, words for models, and plain values for JSON. Pure: prints nothing, touches nothing.

Every piece of text that came from a patch or a file goes through `paint(style, text)`, so that the caller decides
on colours and on what a terminal may be shown. Styles: "", good, bad, dim, strong, path, add, remove, hunk.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .json import action, as_json, json_text, note_json, problem_json, receipt_json, symbol_json
    from .model import for_model
    from .people import diff_of, explain, for_people
    from .words import command, first_difference, headline, message, plain, quoted

_HOMES = {
    "first_difference": "words",
    "action": "json", "as_json": "json", "json_text": "json", "note_json": "json", "problem_json": "json",
    "receipt_json": "json", "symbol_json": "json",
    "for_model": "model",
    "for_people": "people",
    "diff_of": "people",
    "explain": "people",
    "command": "words", "headline": "words", "message": "words", "plain": "words", "quoted": "words",
}  # fmt: skip

__all__ = [
    "action", "as_json", "command", "diff_of", "explain", "first_difference", "for_model", "for_people", "headline",
    "json_text", "message", "note_json", "plain", "problem_json", "quoted", "receipt_json", "symbol_json",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """Load a name when it is first asked for: a run words one sort of report; the others would cost their reading."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
