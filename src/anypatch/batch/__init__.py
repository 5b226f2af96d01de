"""Many answers at once. `Apply` is the function for tables; `anypatch batch` runs it over files, on all cores."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..hints import FormatName, SyntaxCheck
from .rows import Applier, Options

__all__ = ["Apply", "Options"]


class Apply:
    """A function from answers to results, for `ray.data.Dataset.map_batches`, `datasets.Dataset.map` and plain `map`.

    Called with a row ({"answer": "…", "files": {"a.py": "…"}}) it gives a row, with many it gives many. It is made with
    what `anypatch batch` takes: `repos`, `format`, `partial`, `syntax`, `columns`, `instances`. It can be sent to other
    processes.
    """

    def __init__(
        self,
        *,
        repos: str | os.PathLike[str] = "",
        format: FormatName | None = None,
        partial: bool = False,
        syntax: SyntaxCheck = "off",
        columns: Mapping[str, str] | None = None,
        instances: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        self.options = Options(
            os.fspath(repos), format or "", partial, syntax, columns or {}, instances or {}
        ).checked()
        self._applier: tuple[int, Applier] | None = None

    def __call__(self, batch: Any) -> Any:
        """The results: of a row as a dict, of a dict of columns as another, of any other table as one of pyarrow's."""
        if hasattr(batch, "to_pylist"):
            rows = batch.to_pylist()
        elif hasattr(batch, "to_dict") and not isinstance(batch, Mapping):
            rows = batch.to_dict("records")
        elif all(_is_column(batch[name]) for name in batch):
            columns = [_listed(batch[name]) for name in batch]
            rows = [dict(zip(batch, values, strict=True)) for values in zip(*columns, strict=True)]
        else:
            return self._results([batch])[0]
        results = self._results(rows)
        if isinstance(batch, dict):
            return {name: [result[name] for result in results] for name in results[0]} if results else {}
        from .tables import arrow_table

        return arrow_table(results)

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
