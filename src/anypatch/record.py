"""NamedTuple without the import of typing, which alone doubles the start of the interpreter. Knows nothing of patches.

Type checkers see the real `typing.NamedTuple`. At run time the class body is read once. A class that makes many values
gets a constructor compiled for it; most make a few in a run, and compiling would cost more than all of them.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
# Whether types in signatures are to resolve at run time: to whoever asks, `typing` is known; to the command it is not.
HINTED = "typing" in sys.modules

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from _collections import _tuplegetter

    _MANY = 8
    _new = tuple.__new__

    class _Recipe(type):
        """Turns annotated fields into a tuple with named places."""

        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            body["_fields"] = body["__match_args__"] = fields = tuple(body.get("__annotations__", ()))
            body["_field_defaults"] = {f: body[f] for f in fields if f in body}
            for place, field in enumerate(fields):
                body[field] = _tuplegetter(place, field)
            body["__slots__"] = ()
            body["_uses"] = []
            return type.__new__(type, name, (_Record,), body)

    class _Record(tuple):
        """What all records share."""

        __slots__ = ()

        def __new__(cls, *args, **named):
            uses = cls._uses
            if len(uses) >= _MANY:  # more where threads meet here
                return _compiled(cls)(cls, *args, **named)
            uses.append(None)
            fields, values = cls._fields, args
            if named or len(args) != len(fields):
                given = {**cls._field_defaults, **named}
                values += tuple([given.pop(field) for field in fields[len(args) :] if field in given])
                if len(values) != len(fields) or not given.keys() <= cls._field_defaults.keys() - named.keys():
                    return _compiled(cls)(cls, *args, **named)  # which tells what is wrong
            return _new(cls, values)

        def __repr__(self):
            return f"{type(self).__name__}({', '.join(f'{f}={getattr(self, f)!r}' for f in self._fields)})"

        def __getnewargs__(self):
            return tuple(self)

        def _replace(self, **named):
            made = _new(type(self), map(named.pop, self._fields, self))
            if named:
                raise TypeError(f"{type(self).__name__} has no field {', '.join(named)}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        _make = classmethod(_new)

    def _compiled(cls):
        """The constructor of a record, written out for its fields."""
        owner = next(c for c in cls.__mro__ if "_fields" in c.__dict__)
        params = ", ".join(f"{f}=_d[{f!r}]" if f in owner._field_defaults else f for f in owner._fields)
        source = f"lambda _cls, {params}: _new(_cls, ({', '.join(owner._fields)},))"
        owner.__new__ = eval(source, {"_new": _new, "_d": owner._field_defaults})  # noqa: S307
        return owner.__new__

    class NamedTuple(metaclass=_Recipe):
        """The base that annotated records are written with."""
