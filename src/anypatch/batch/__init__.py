"""Many answers at once. `Apply` is the function for tables; `anypatch batch` runs it over files, on all cores."""

from __future__ import annotations

import os
from collections.abc import Mapping

from .rows import Applier, Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Apply", "Options"]


class Apply:
    """A function from answers to results, for `ray.data.Dataset.map_batches`, `datasets.Dataset.map` and plain `map`.

    Called with a row ({"answer": "…", "files": {"a.py": "…"}}) it gives a row, with columns it gives columns. What it
    is made with is what `anypatch batch` takes: `repos`, `format`, `partial`, `syntax`, `columns`, `instances`.
    It can be sent to other processes.
    """

    def __init__(
        self,
        *,
        repos: str | os.PathLike[str] = "",
        format: str = "",
        partial: bool = False,
        syntax: str = "off",
        columns: Mapping[str, str] | None = None,
        instances: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        self.options = Options(os.fspath(repos), format, partial, syntax, columns or {}, instances or {}).checked()
        self._applier: tuple[int, Applier] | None = None

    def __call__(self, batch: Any) -> dict[str, Any]:
        """The results of a row or a batch: a mapping of columns, a pyarrow table or a pandas frame."""
        if hasattr(batch, "to_pylist"):
            rows = batch.to_pylist()
        elif hasattr(batch, "to_dict") and not isinstance(batch, Mapping):
            rows = batch.to_dict("records")
        elif all(_is_column(values) for values in batch.values()):
            rows = [dict(zip(batch, values, strict=True)) for values in zip(*map(_listed, batch.values()), strict=True)]
        else:
            return self._results([batch])[0]
        results = self._results(rows)
        return {name: [result[name] for result in results] for name in results[0]} if results else {}

    def _results(self, rows: list[Any]) -> list[dict[str, Any]]:
        if self._applier is None or self._applier[0] != os.getpid():  # processes of git's aren't shared with a fork
            self._applier = os.getpid(), Applier(self.options)
        return self._applier[1].results(rows)

    def __getstate__(self) -> dict[str, Any]:
        return {"options": self.options, "_applier": None}


def _is_column(values: object) -> bool:
    return hasattr(values, "__len__") and not isinstance(values, str | bytes | Mapping)


def _listed(values: Any) -> list[Any]:
    """A column as plain values: those of numpy know how."""
    return values.tolist() if hasattr(values, "tolist") else list(values)
