"""Read and run the cases of tests/cases.

A case is a folder, `tests/cases/GROUP/NAME/`:

    patch.txt or answer.md  what the model wrote
    before/                 the tree it was written for; an empty tree if there is none
    base/                   the files it was written for, if before/ has changed since
    after/                  the whole tree afterwards
    notes.txt               the notes of an applied case, a line each, if it has any
    refused.txt             instead of after/: the kinds of problem on one line, then the report
    proposed.txt            the report while no proposal is accepted; after/ or refused.txt is the result if all are
    now/ and wanted/        instead of after/: a known weakness, what happens and what should happen; if it is
                            refused, refused.txt and wanted/
    options.toml            keyword arguments of `anypatch.apply`
    why.txt                 a sentence, if the name doesn't say it

In a group that is named like a format that format is given, in all others it is detected.

A case that a folder can't hold (line endings, invisible characters, empty trees, files that git follows) is a line of
`tests/cases/GROUP.jsonl`: an object with `name` and the same entries without their suffixes, bytes that aren't UTF-8 as
lone surrogates.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

import anypatch
from anypatch import FormatName, Result

HOME = Path(__file__).parent.parent / "cases"
FORMATS = get_args(FormatName)
NOT_DURABLE = anypatch.Settings(durability="none")  # syncing takes most of the time, and tests/storage tests it

_PLAIN_PATH = re.compile(r"(?![.])[\w. -]+(/(?![.])[\w. -]+)*", re.ASCII)

Tree = dict[str, str]
Apply = Callable[..., tuple[Result, Tree]]


@dataclass(frozen=True)
class Case:
    group: str
    name: str
    patch: str
    before: Tree = field(default_factory=dict)
    base: Tree | None = None  # only if the tree has changed since the answer was written
    after: Tree | None = None  # None if it is refused
    wanted: Tree | None = None  # only of a known weakness
    notes: str = ""
    refused: str = ""
    proposed: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    why: str = ""

    @property
    def id(self) -> str:
        return f"{self.group}/{self.name}"

    @property
    def format(self) -> Any:
        return self.group if self.group in FORMATS else None

    @property
    def kinds(self) -> list[str]:
        return self.refused.partition("\n")[0].split()


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def ids() -> list[str]:
    """Return GROUP/NAME of every case."""
    groups = sorted(path for path in HOME.iterdir() if path.is_dir())
    folders = [f"{group.name}/{name}" for group in groups for name in sorted(os.listdir(group))]
    return folders + [f"{file.stem}/{name}" for file in sorted(HOME.glob("*.jsonl")) for name in _rows(file.stem)]


def load() -> list[Case]:
    return [read(id) for id in ids()]


def read(id: str) -> Case:
    group, name = id.split("/")
    row = _row_of_folder(HOME / id) if (HOME / id).is_dir() else _rows(group)[name]
    return Case(group, **{"after" if key == "now" else key: value for key, value in row.items()})


def _row_of_folder(folder: Path) -> dict[str, Any]:
    """Return what a folder holds as a line of JSON would."""
    row: dict[str, Any] = {"name": folder.name}
    for entry in os.scandir(folder):
        key, _, suffix = entry.name.partition(".")
        path = Path(entry.path)
        if not suffix:
            row[key] = tree(path)
        elif suffix == "toml":
            row[key] = tomllib.loads(decode(path))
        else:
            row["patch" if key == "answer" else key] = decode(path)
    return row


@cache
def _rows(group: str) -> dict[str, dict[str, Any]]:
    file = HOME / f"{group}.jsonl"
    lines = file.read_text(encoding="utf-8").split("\n") if file.exists() else []
    return {row["name"]: row for row in map(json.loads, filter(None, lines))}


def decode(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "surrogateescape")


def tree(root: Path) -> Tree:
    """Return every file below a folder, except our own state and caches."""
    return {
        os.path.relpath(os.path.join(folder, name), root): decode(Path(folder, name))
        for folder, _, names in os.walk(root)
        for name in names
        if ".anypatch" not in folder and "__pycache__" not in folder
    }


def fits_folder(case: Case) -> bool:
    """Return True if git, a checkout and an editor leave every file of the case as it is."""
    trees = [tree for tree in (case.before, case.base, case.after, case.wanted) if tree is not None]
    texts = [case.patch, *(text for tree in trees for text in tree.values())]
    return (
        all(char.isprintable() or char in "\n\t" for text in texts for char in text)
        and all(_PLAIN_PATH.fullmatch(path) for tree in trees for path in tree)
        and all(len({path.lower() for path in tree}) == len(tree) for tree in trees)
        and {} not in (case.after, case.wanted)  # git keeps no empty folders
    )


# ── running ──────────────────────────────────────────────────────────────────────────────────────


def in_memory(case: Case) -> Apply:
    def apply(**options: Any) -> tuple[Result, Tree]:
        result = anypatch.apply_to(case.patch, case.before, base=case.base, **options)
        return result, {path: str(text) for path, text in result.files.items()}

    return apply


def on_disk(case: Case, root: Path) -> Apply:
    put(case.before, root)

    def apply(**options: Any) -> tuple[Result, Tree]:
        return anypatch.apply(case.patch, root, base=case.base, settings=NOT_DURABLE, **options), tree(root)

    return apply


def put(files: Tree, root: Path) -> None:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8", "surrogateescape"))


def outcome(case: Case, apply: Apply) -> Case:
    """Return the case with what happens now as its result."""
    result, files = apply(format=case.format, **case.options)
    proposed = ""
    if result.status == "proposed":
        assert files == case.before, "a proposal changed something"
        proposed = f"{result}\n"
        result, files = apply(format=case.format, **case.options, accept="all")
    case = replace(case, after=None, notes="", refused="", proposed=proposed)
    if result.ok:
        notes = [
            f"line {note.patch_line}: {note.text}\n" if note.patch_line else f"{note.text}\n" for note in result.notes
        ]
        return replace(case, after=files, notes="".join(notes))
    assert files == case.before, "a refusal changed something"
    kinds = sorted({problem.kind for problem in result.problems})
    return replace(case, refused=f"{' '.join(kinds)}\n\n{result}\n")
