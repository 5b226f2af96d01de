"""The Python that the documents and examples show passes mypy and pyright, both strict."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import snippets  # tools/snippets.py

TOP = Path(__file__).parent.parent
PAGES = [TOP / "README.md", TOP / "examples" / "library.md", *sorted((TOP / "docs").glob("*.md"))]
MADE = ("api.md", "formats.md", "prompts.md")  # made out of others


def scripts() -> dict[str, str]:
    """Every script of the pages by the name of its file; those for agent frameworks, which aren't here, are left out."""
    found = {path.name: path.read_text() for path in sorted((TOP / "examples").glob("*.py"))}
    for page in PAGES:
        for number, (above, _, language, text) in enumerate(snippets.FENCE.findall(page.read_text())):
            shown = language == "python" and not re.search(r"<!-- (?:file|output)\b", above)
            if shown and page.name not in MADE and "anypatch.adapters" not in text:
                found[f"{page.stem}_{number}.py"] = text
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("snippets")
    for name, text in scripts().items():
        (folder / name).write_text(text)
    (folder / "wrong.py").write_text('import anypatch\n\nanypatch.apply("", ".", format="unifed")\n')
    return folder


def test_there_are_scripts_of_several_pages() -> None:
    assert len(scripts()) > 50
    assert {name.split("_")[0] for name in scripts()} >= {"README", "library", "agent.py", "trees.py", "batch"}


def test_mypy_passes_what_the_documents_show(folder: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-pretty",
        "--config-file=",
        "--cache-dir",
        str(TOP / ".mypy_cache"),
        ".",
    ]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "MYPYPATH": str(TOP / "src")},
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert [line for line in errors if not line.startswith("wrong.py")] == []
    assert errors and "Found 1 error in 1 file" in done.stdout, "the wrong one is noticed"


def test_pyright_passes_what_the_documents_show(folder: Path) -> None:
    pyright = [sys.executable, "-m", "pyright"]
    try:
        version = subprocess.run([*pyright, "--version"], cwd=folder, capture_output=True, check=False, timeout=120)
    except subprocess.TimeoutExpired:
        pytest.skip("pyright's program could not be had from npm within two minutes")
    if version.returncode:
        pytest.skip("pyright is not installed, or its program can't be had from npm")
    settings = {
        "typeCheckingMode": "strict", "pythonVersion": "3.11", "extraPaths": [str(TOP / "src")], "include": ["."],
    }  # fmt: skip
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [*pyright, "--pythonpath", sys.executable, "--outputjson"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    errors = [
        f"{Path(one['file']).name}:{one['range']['start']['line'] + 1}: {one['message']}"
        for one in report["generalDiagnostics"]
        if one["severity"] == "error"
    ]
    assert [error for error in errors if not error.startswith("wrong.py")] == []
    assert errors, "the wrong one is noticed"
