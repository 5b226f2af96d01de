"""What refusals say, read by a machine: nothing twice, no words of the command line, sentences that are ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import anypatch
from anypatch.problems import KINDS, Problem
from anypatch.report.models import for_model
from anypatch.report.people import Layout, for_people
from anypatch.report.words import message
from support.cases import Case, load

_QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"")
_COMMAND = re.compile(r"(?<![\w-])--[a-z]|`anypatch|\banypatch (?:apply|undo|redo|log|outline|formats|prompt)\b")
_RUN = 4  # words in a row that are said only once in a sentence
# Words that a native speaker wouldn't use, or would use otherwise: "the text stands at line 3", "`x` is no command".
_ODD = re.compile(
    r"\bstands?\b(?! for)|(?<!there )\b(?:is|are) no (?!longer)|\bpassed over\b|\bbehind\b|\bmend(?:s|ed)?\b|\banew\b"
    r"|\botherwise than\b|\bspeaks? of\b|\bline ends?\b(?! in)|\bthere already\b|\b(?:said|told) twice\b|\bbroken? off\b"
    r"|\btak(?:e|es|en) back\b|\bnothing of it\b|\bsomebody\b|\bfound out\b|\bobeys?\b|\bmeanwhile\b|\bso that no\b",
    re.IGNORECASE,
)
_SOURCES = Path(anypatch.__file__).parent
_TOLD = ("Problem", "Note", "Near", "Kind", "Tool", "Command", "Option", "ValueError", "TypeError")


def repeated(text: str) -> str:
    """Words that a text says twice in a row of words, what it quotes aside; "" where there are none."""
    words = re.findall(r"[\w']+", _QUOTED.sub("", text).lower())
    runs = [" ".join(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)]
    return next((run for at, run in enumerate(runs) if run in runs[:at]), "")


def faults(problem: Problem) -> list[str]:
    """What is wrong with the words of a problem."""
    told, advice = message(problem), problem.advice or KINDS[problem.kind].advice
    found = []
    if twice := repeated(told):
        found.append(f"says twice {twice!r}: {told}")
    if _COMMAND.search(advice):
        found.append(f"speaks of the command line: {advice}")
    if not advice.rstrip().endswith((".", "?")):
        found.append(f"is no sentence: {advice}")
    if told.rstrip().endswith("."):
        found.append(f"ends in a stop: {told}")
    if advice.rstrip(".") in told:
        found.append(f"advises what it says: {told}")
    return found


def test_refusals_read_well() -> None:
    """Whatever a case refuses; a library and a model can do what it says without a shell."""
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
    found += [f"names no option or command: {told}" for told in offered if not re.search(r"--[a-z]|`", told)]
    assert not found, "\n".join(found)


def test_the_command_line_adds_its_options_and_models_are_spared_them() -> None:
    report = anypatch.apply_to(
        "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n", {"a.txt": "y\n"}, overwrite=False
    )
    assert report.problems[0].kind == "file_exists"
    assert any("--overwrite" in line for line in for_people(report, Layout(commands=True)))
    assert "--overwrite" not in str(report)
    assert "--overwrite" not in for_model(report)


def test_a_kind_whose_details_say_it_all_has_no_title_before_them() -> None:
    told = message(Problem("file_missing", "a.py doesn't exist"))
    assert told == "a.py doesn't exist"
    assert message(Problem("file_missing")) == KINDS["file_missing"].title
    assert message(Problem("bad_patch", "no `op`")) == "the patch cannot be read: no `op`"


# ── the sources: every text that may be shown, also those that no case produces ──────────────────────────


def _shown(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The line and the words of all texts that go into what people and models are told, with `…` for what is filled in."""
    for node in ast.walk(tree):
        name, values = "", []
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            values = [*node.args, *(keyword.value for keyword in node.keywords)] if name in _TOLD else []
        elif isinstance(node, ast.Assign):
            names = [
                name.id.lower() for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)
            ]
            told = ("detail", "advice", "why", "note", "told", "what", "command", "text")
            values = [node.value] if any(name.strip("_").startswith(told) for name in names) else []
        for value in values:
            for part in ast.walk(value):
                if isinstance(part, ast.JoinedStr):
                    pieces = [str(one.value) if isinstance(one, ast.Constant) else "…" for one in part.values]
                    yield part.lineno, "".join(pieces)
                elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.lineno, part.value


def _texts() -> list[tuple[str, str]]:
    found = []
    for path in sorted(_SOURCES.rglob("*.py")):
        for line, text in _shown(ast.parse(path.read_text())):
            if " " in text.strip():
                found.append((f"{path.relative_to(_SOURCES)}:{line}", _QUOTED.sub("", text)))
    return found


def test_no_text_uses_odd_words() -> None:
    texts = _texts()
    assert len(texts) > 800, "the texts are found"
    found = [f"{where}: {text}" for where, text in texts if _ODD.search(text)]
    assert not found, "\n".join(found)


def test_only_the_command_line_names_its_options() -> None:
    """What the engine and the library say goes to models and programs, too: commands are in `command` alone."""
    found = []
    for path in sorted(_SOURCES.rglob("*.py")):
        if path.parent.name == "cli" or path.name in ("tools.py", "session.py"):  # of a server, the user is asked
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Problem"):
                continue
            spoken = [*node.args[1:2], *(one.value for one in node.keywords if one.arg in ("detail", "advice"))]
            parts = [part for value in spoken for part in ast.walk(value) if isinstance(part, ast.Constant)]
            wrong = [part for part in parts if isinstance(part.value, str) and _COMMAND.search(part.value)]
            found += [f"{path.relative_to(_SOURCES)}:{part.lineno}: {part.value!r}" for part in wrong]
    assert not found, "\n".join(found)


def test_what_models_are_taught_uses_no_odd_words() -> None:
    found = []
    for path in sorted([*_SOURCES.glob("formats/*/prompt.md"), *_SOURCES.glob("formats/*/tool.json")]):
        prose = re.sub(r"^(`{3,}).*?^\1$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
        found += [
            f"{path.parent.name}/{path.name}: {line}"
            for line in prose.split("\n")
            if _ODD.search(_QUOTED.sub("", line))
        ]
    assert not found, "\n".join(found)
