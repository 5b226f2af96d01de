"""The wording of refusals: no repetition, no commands for readers who can't type them, whole sentences."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import anypatch
from anypatch.problems import KINDS, Problem
from anypatch.report.models import for_model
from anypatch.report.people import Layout, for_people
from support.cases import Case, load

_QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"")
_COMMAND = re.compile(r"(?<![\w-])--[a-z]|`anypatch|\banypatch (?:apply|undo|redo|log|outline|formats|prompt)\b")
_NOT_FOR = {
    "a model": re.compile(r"\b(?:Ask|Show|Tell) the model\b|\b[Pp]ick\b|\binstall\b", re.IGNORECASE),
    "a person": re.compile(r"\bsend\b|\bthe user\b|\bread (?:it|the file) again\b", re.IGNORECASE),
}
_RUN = 4  # words in a row that a sentence may hold only once
_SOURCES = Path(anypatch.__file__).parent


def repeated(text: str) -> str:
    """Return a run of words that a text has twice, outside quotes; "" if there is none."""
    words = re.findall(r"[\w']+", _QUOTED.sub("", text).lower())
    runs = [" ".join(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)]
    return next((run for at, run in enumerate(runs) if run in runs[:at]), "")


def faults(problem: Problem) -> list[str]:
    """Return the faults in the wording of a problem."""
    text = problem.message
    found = [f"repeats {twice!r}: {text}"] if (twice := repeated(text)) else []
    if text.rstrip().endswith("."):
        found.append(f"ends in a stop: {text}")
    for reader, advice in (("a model", problem.advice), ("a person", problem.hint)):
        if _COMMAND.search(advice):
            found.append(f"names a command: {advice}")
        if not advice.rstrip().endswith((".", "?")):
            found.append(f"isn't a sentence: {advice}")
        if advice.rstrip(".") in text:
            found.append(f"advises what it says: {text}")
        if _NOT_FOR[reader].search(advice):
            found.append(f"tells {reader} what only the other can do: {advice}")
    return found


def test_refusals_read_well() -> None:
    """Read the refusals of all cases: a program and a model can do as they say without a shell."""
    found: list[str] = []
    for case in refused_cases():
        result = anypatch.apply_to(case.patch, case.before, format=case.format, **case.options)
        for problem in result.problems:
            found += [f"{case.id}: {fault}" for fault in faults(problem)]
            # What the patch and the file contain isn't our text.
            bare = result._replace(problems=(problem._replace(near=(), corrected=(), path=""),), rest="", notes=())
            bare = bare._replace(plan=bare.plan._replace(outcomes=()))
            text = _QUOTED.sub("", f"{bare}\n{bare.for_model()}")
            found += [f"{case.id}: names a command: {text}"] if _COMMAND.search(text) else []
    assert not found, "\n".join(found)


def refused_cases() -> list[Case]:
    cases = [case for case in load() if case.refused or case.proposed]
    assert len(cases) > 500
    return cases


def test_every_kind_reads_well() -> None:
    found = [f"{kind}: {fault}" for kind in KINDS.values() for fault in faults(Problem(kind.id))]
    offered = [kind.command for kind in KINDS.values() if kind.command]
    found += [f"names no option or command: {text}" for text in offered if not re.search(r"--[a-z]|`", text)]
    assert not found, "\n".join(found)


def test_the_command_line_adds_its_options_and_models_are_spared_them() -> None:
    report = anypatch.apply_to(
        "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n", {"a.txt": "y\n"}, overwrite=False
    )
    assert report.problems[0].kind == "file_exists"
    assert any("--overwrite" in line for line in for_people(report, Layout(commands=True)))
    assert "--overwrite" not in str(report)
    assert "--overwrite" not in for_model(report)


def test_only_the_command_line_names_its_options() -> None:
    """Messages of the library also go to models and programs, so commands are in `command` alone."""
    found = []
    for path in sorted(_SOURCES.rglob("*.py")):
        if path.parent.name == "cli" or path.name in ("tools.py", "session.py"):  # of a server, the user is asked
            continue
        source = path.read_text()
        for node in ast.walk(ast.parse(source)) if _COMMAND.search(source) else ():
            if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Problem"):
                continue
            spoken = [*node.args[1:2], *(one.value for one in node.keywords if one.arg in ("detail", "advice", "hint"))]
            parts = [part for value in spoken for part in ast.walk(value) if isinstance(part, ast.Constant)]
            wrong = [part for part in parts if isinstance(part.value, str) and _COMMAND.search(part.value)]
            found += [f"{path.relative_to(_SOURCES)}:{part.lineno}: {part.value!r}" for part in wrong]
    assert not found, "\n".join(found)
