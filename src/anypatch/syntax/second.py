"""A second engine beside the trees, where somebody put one in place for what runs inside `with beside(engine)`.

What both tell must agree; see `Symbol.other`. Pure by itself: without such an engine the trees alone are asked.
"""

from __future__ import annotations

from contextvars import ContextVar

from .symbols import Symbols, symbols_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Engine = Callable[[str, str, Symbols | None], Symbols | None]

_engine: ContextVar[Engine | None] = ContextVar("engine", default=None)


def told(grammar: str, path: str, text: str) -> Symbols | None:
    """The symbols of a text by all engines in place; None where none knows its language."""
    found = symbols_of(grammar, path, text) if grammar else None
    engine = _engine.get()
    return engine(path, text, found) if engine else found


class beside:  # noqa: N801 - reads as a word of the statement it stands in
    """With this, the engine is asked too."""

    def __init__(self, engine: Engine) -> None:
        self._new = engine

    def __enter__(self) -> None:
        self._token = _engine.set(self._new)

    def __exit__(self, *_: object) -> None:
        _engine.reset(self._token)
