"""From a row of answers to a row of results, in memory. Columns are read by name; writes nothing."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..answer.unwrap import as_text
from ..api import rules_of
from ..formats import checked_name
from ..hints import Accept, FormatName, SyntaxCheck
from ..pipeline import ApplyOptions, read_and_apply
from ..problems import Problem, Refused, in_a_line
from ..result import no_plan
from ..syntax.check import MODES
from ..text import decode
from ..tree import as_tree
from .repositories import Repositories, bad_row
from .result_row import ResultRow, result_row
from .tables import Chunk, arrow_table

if TYPE_CHECKING:
    from ..match.files import Tree

Row = Mapping[str, Any]

# The columns that may hold each field of a row; the first that does counts.
COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("id", "instance_id"),
    "answer": ("answer", "model_patch", "completion", "messages"),
    "files": ("files",),
    "repo": ("repo",),
    "base_commit": ("base_commit",),
}


class Options(NamedTuple):
    """How answers are applied. `repos`: the folder of git repositories. `syntax`: off, warn, refuse.

    `columns`: which column holds what, if its name isn't one of `COLUMNS`.
    `instances`: repository and commit of rows that name neither files nor a commit, by their ID.
    """

    repos: str = ""
    format: str = ""
    partial: bool = False
    syntax: str = "off"
    columns: Mapping[str, str] = {}
    instances: Mapping[str, tuple[str, str]] = {}
    accept: tuple[str, ...] | None = None

    def column_names(self) -> dict[str, tuple[str, ...]]:
        """Return the columns that may hold each field."""
        return {**COLUMNS, **{field: (column,) for field, column in self.columns.items()}}

    def checked(self) -> Options:
        """Return the options. Raise ValueError if one has a value that doesn't exist."""
        if self.syntax not in MODES:
            raise ValueError(f"syntax must be one of {', '.join(MODES)}, not {self.syntax!r}")
        unknown = [field for field in self.columns if field not in COLUMNS]
        if unknown:
            raise ValueError(f"columns are named for {', '.join(COLUMNS)}, not {unknown[0]!r}")
        if self.format:
            checked_name(self.format)
        return self


class Apply:
    """A function from answers to results, for `ray.data.Dataset.map_batches`, `datasets.Dataset.map` and plain `map`.

    Called with a row ({"answer": "…", "files": {"a.py": "…"}}) it returns a row, with many it returns many. Its
    arguments are the options of `anypatch batch`. It can be sent to other processes.
    """

    def __init__(  # noqa: PLR0913 - each is an option of the command too
        self,
        *,
        repos: str | os.PathLike[str] = "",
        format: FormatName | None = None,
        partial: bool = False,
        syntax: SyntaxCheck = "off",
        columns: Mapping[str, str] | None = None,
        instances: Mapping[str, tuple[str, str]] | None = None,
        accept: Accept = None,
    ) -> None:
        self.options = Options(
            os.fspath(repos), format or "", partial, syntax, columns or {}, instances or {}, rules_of(accept)
        ).checked()
        self._applier: tuple[int, Applier] | None = None  # with the process that it belongs to

    def __call__(self, batch: Any) -> Any:
        """Return the results: a dict for a row, a dict of columns for the same, a pyarrow table for any other table."""
        if hasattr(batch, "to_pylist"):
            rows = batch.to_pylist()
        elif hasattr(batch, "to_dict") and not isinstance(batch, Mapping):
            rows = batch.to_dict("records")
        elif all(_is_column(batch[name]) for name in batch):
            columns = [_as_list(batch[name]) for name in batch]
            rows = [dict(zip(batch, values, strict=True)) for values in zip(*columns, strict=True)]
        else:
            return self._results([batch])[0]
        results = self._results(rows)
        if isinstance(batch, dict):
            return {name: [result[name] for result in results] for name in results[0]} if results else {}
        return arrow_table(results)

    def _results(self, rows: list[Any]) -> list[ResultRow]:
        if self._applier is None or self._applier[0] != os.getpid():  # a fork can't share git's processes
            self._applier = os.getpid(), Applier(self.options)
        return self._applier[1].results(rows)

    def __getstate__(self) -> dict[str, Any]:
        return {"options": self.options, "_applier": None}


def _is_column(values: object) -> bool:
    return hasattr(values, "__len__") and not isinstance(values, str | bytes | Mapping)


def _as_list(values: Any) -> list[Any]:
    """Return a column as plain values; numpy's convert themselves."""
    return values.tolist() if hasattr(values, "tolist") else list(values)


class Applier:
    """Applies one row after another, and keeps the repositories open in between."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._repositories: Repositories | None = None
        self._columns = options.column_names()

    def results(self, rows: Chunk, first: int = 0) -> list[ResultRow]:
        """Return the results of some rows. `first`: the number of the first one, for rows without an ID."""
        return [self._result(row, number) for number, row in enumerate(rows, first)]

    def id(self, row: Row | bytes, number: int) -> str | int:
        """Return the ID of a row; its number if it has none, or can't be read."""
        try:
            id = self._get(_parsed(row) if isinstance(row, bytes) else row, "id", number)
        except Refused:
            return number
        return id if isinstance(id, str | int) else str(id)

    def _result(self, row: Row | bytes, number: int) -> ResultRow:
        """Return the result of a row, or of a line of JSON. Never raise: every row has a result."""
        started = time.process_time()
        id: str | int = number
        try:
            if isinstance(row, bytes):
                row = _parsed(row)
            id = self.id(row, number)
            tree = self._tree(row)
            options = ApplyOptions(partial=self.options.partial, syntax=self.options.syntax, accept=self.options.accept)
            result = result_row(read_and_apply(self._answer(row), tree, options, self.options.format))
        except Refused as refused:
            result = result_row(no_plan(*refused.problems))
        except Exception as error:
            detail = f"internal error of anypatch itself ({in_a_line(error)}); please report it"
            result = result_row(no_plan(Problem("row_failed", detail)))
        ms = (time.process_time() - started) * 1000
        return {"id": id, **result, "ms": round(ms, 3)}

    def _get(self, row: Row, field: str, default: Any = None) -> Any:
        return next((row[column] for column in self._columns[field] if row.get(column) is not None), default)

    def _answer(self, row: Row) -> str:
        answer = self._get(row, "answer")
        if answer is None:
            raise bad_row(f"it has no answer: none of the columns {', '.join(self._columns['answer'])}")
        if isinstance(answer, bytes):
            return decode(answer)
        try:
            return as_text(answer)
        except (TypeError, ValueError) as error:
            raise bad_row(str(error)) from None

    def _tree(self, row: Row) -> Tree:
        """Return the files that a row's answer is for: those in the row, or those of a commit."""
        files = self._get(row, "files")
        if files is not None:
            return as_tree(_files(files))
        repo, commit = self._get(row, "repo"), self._get(row, "base_commit")
        if repo is None or commit is None:
            repo, commit = self.options.instances.get(str(self._get(row, "id", "")), (repo, commit))
        if repo is None or commit is None:
            raise bad_row("it has neither files nor repo and base_commit, and its id is not a known instance")
        if not self.options.repos:
            raise bad_row("it names a repository, but no folder of repositories was given")
        self._repositories = self._repositories or Repositories(self.options.repos)
        return self._repositories.tree(str(repo), str(commit))


def _parsed(line: bytes) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise bad_row(f"it is not JSON: {error}") from None
    if not isinstance(row, dict):
        raise bad_row("it is not a JSON object")
    return row


def _files(files: Any) -> dict[str, str | bytes]:
    """Return the files of a row: a mapping, pairs, objects with path and content, or a string of JSON with these."""
    try:
        if isinstance(files, str):
            files = json.loads(files)
        if isinstance(files, Mapping):
            pairs = list(files.items())
        else:
            pairs = [(file["path"], file["content"]) if isinstance(file, Mapping) else tuple(file) for file in files]
        texts = {path: text for path, text in pairs if text is not None}
    except (TypeError, ValueError, KeyError):
        raise bad_row("its files are neither {path: text} nor [{path, content}]") from None
    for path, text in texts.items():
        if not (isinstance(path, str) and isinstance(text, str | bytes)):
            raise bad_row(f"the text of {path!r} among its files is not a string")
    return texts
