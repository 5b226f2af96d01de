"""Compute the files after a call that went through by the client's own rule, where the transcript doesn't have them."""

from __future__ import annotations

from collections.abc import Mapping

from ..hooks.clients import ToolCall
from ..hooks.codex import apply_like_codex
from ..hooks.decide import replace_exactly, replacements
from .events import Contents, EditCall


def contents_after(call: EditCall, before: Contents) -> Contents:
    """Return the files of a call after it, as far as they are known: the transcript's own contents come first."""
    unknown = [name for name, path in call.files.items() if path not in call.after]
    if not unknown:
        return dict(call.after)
    old = {name: text for name, path in call.files.items() if (text := before.get(path)) is not None}
    new = apply_like_codex(call.answer, old) if isinstance(call.answer, str) else _replaced(call.answer, old)
    if new is None:
        return dict(call.after)
    return {path: new.get(name) for name, path in call.files.items() if name in old or name in new} | dict(call.after)


def _replaced(answer: object, old: Mapping[str, str]) -> dict[str, str] | None:
    """Return the file with its text replaced exactly; None if that isn't what the client did."""
    if not isinstance(answer, dict) or len(old) != 1:
        return None
    ((name, text),) = old.items()
    after = replace_exactly(text, replacements(ToolCall("", answer["name"], answer["input"], "")))
    return None if after is None or after == text else {name: after}
