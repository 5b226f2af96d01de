"""NamedTuple without the import of typing, which alone doubles the start of the interpreter. Knows nothing of patches.

Type checkers see the real `typing.NamedTuple`. At run time the class body is read once and the
constructor is compiled at its first use, so that values a run never makes cost it nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from _collections import _tuplegetter

    class _Recipe(type):
        """Turns annotated fields into a tuple with named places."""

        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = tuple(body.get("__annotations__", ()))
            defaults = {f: body.pop(f) for f in fields if f in body}
            body |= {f: _tuplegetter(i, f) for i, f in enumerate(fields)}
            body |= {"_fields": fields, "_field_defaults": defaults, "__match_args__": fields, "__slots__": ()}
            body |= {"__new__": _first_new, "__repr__": _repr, "__getnewargs__": _plain}
            body |= {"_replace": _replace, "_asdict": _asdict, "_make": classmethod(tuple.__new__)}
            return type.__new__(type, name, (tuple,), body)

    def _first_new(cls, *args, **named):
        owner = next((c for c in cls.__mro__ if c.__dict__.get("__new__") is _static), None)
        if owner is None:  # another thread was first
            return cls.__new__(cls, *args, **named)
        params = ", ".join(f"{f}=_d[{f!r}]" if f in owner._field_defaults else f for f in owner._fields)
        source = f"lambda _cls, {params}: _new(_cls, ({', '.join(owner._fields)},))"
        owner.__new__ = eval(source, {"_new": tuple.__new__, "_d": owner._field_defaults})  # noqa: S307
        return owner.__new__(cls, *args, **named)

    _static = _first_new = staticmethod(_first_new)

    def _plain(self):
        return tuple(self)

    def _repr(self):
        return f"{type(self).__name__}({', '.join(f'{f}={getattr(self, f)!r}' for f in self._fields)})"

    def _replace(self, **named):
        return type(self)(*[named.pop(f, getattr(self, f)) for f in self._fields], **named)

    def _asdict(self):
        return dict(zip(self._fields, self, strict=True))

    class NamedTuple(metaclass=_Recipe):
        """The base that annotated records are written with."""
