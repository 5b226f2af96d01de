"""The documents are true: generated pages are current, what pages show is what happens, links lead somewhere."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import figures  # tools/figures.py
import picture  # tools/picture.py
import pytest
import snippets  # tools/snippets.py
import yaml

import others  # bench/others.py
from anypatch import api
from anypatch.cli.options import COMMANDS
from anypatch.problems import KINDS
from support.cases import load
from support.program import anypatch_text

TOP = Path(__file__).parent.parent

DOCS = sorted((TOP / "docs").glob("*.md"))
READ = [*sorted(TOP.glob("*.md")), *DOCS]  # what people read


def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(TOP / "tools" / "docs.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", snippets.pages(), ids=lambda page: page.name)
def test_a_page_shows_what_happens(page: Path) -> None:
    """Every command, script and output on it, as a reader would run them; `make docs` writes what happens now."""
    assert snippets.again(page) == page.read_text()


def test_a_page_that_shows_something_else_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo one\ntwo\n```\n\n```python\nprint(1)\n```\n<!-- output -->\n```\n2\n```\n")
    assert snippets.again(page) == page.read_text().replace("two", "one").replace("```\n2\n", "```\n1\n")
    page.write_text("```python\nraise SystemExit('no')\n```\n")
    with pytest.raises(RuntimeError, match="no"):
        snippets.again(page)


@pytest.mark.parametrize(("language", "read"), [("json", json.loads), ("toml", tomllib.loads)])
def test_settings_that_pages_show_can_be_read(language: str, read: Callable[[str], object]) -> None:
    texts = [
        text for page in READ for _, _, found, text in snippets.FENCE.findall(page.read_text()) if found == language
    ]
    assert texts and all(map(read, texts))


def test_what_is_not_run_says_why() -> None:
    for page in snippets.pages():
        for above, _, language, _ in snippets.FENCE.findall(page.read_text()):
            if language in snippets.RUN and "not run" in above:
                assert re.search(r"<!-- not run: \S.* -->", above), f"{page.name}: {above}"


def test_the_picture_shows_what_becomes_of_its_answer() -> None:
    assert picture.PICTURE.read_text() == picture.picture()


def test_the_figures_are_what_the_pages_say() -> None:
    drawn = figures.pictures()
    assert {name: (figures.ASSETS / name).read_text() for name in drawn} == drawn


def test_the_demo_runs_to_its_end(tmp_path: Path) -> None:
    program = tmp_path / "anypatch"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m anypatch "$@"\n')
    program.chmod(0o755)
    for _ in range(2):  # the second time there is a demo/ already
        command = ["sh", str(TOP / "examples" / "demo.sh"), str(program)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.endswith("every byte of demo/ is as it was\n")
        assert "Price::discount" in done.stderr  # the refusal
        assert "\x1b" not in done.stdout


def test_the_demo_and_the_readme_have_the_same_answer() -> None:
    assert f"````markdown\n{(TOP / 'examples' / 'chat.md').read_text()}````\n" in (TOP / "README.md").read_text()


def test_every_kind_is_produced_by_a_case_or_a_test() -> None:
    shown = {kind for case in load() for kind in case.kinds}
    tests = "".join(path.read_text(encoding="utf-8") for path in (TOP / "tests").rglob("test_*.py"))
    assert [kind for kind in KINDS if kind not in shown and f'"{kind}"' not in tests] == []


def test_commands_in_the_documents_exist() -> None:
    known = set(COMMANDS) | {"--version", "--help", "COMMAND", "[OPTION"}
    for page in (TOP / "README.md", *DOCS):
        for word in re.findall(r"^(?:\$ | {4})anypatch (\S+)", page.read_text(encoding="utf-8"), re.MULTILINE):
            assert word in known or "." in word, f"{page.name} names anypatch {word}"


# ── links ────────────────────────────────────────────────────────────────────────────────────────


def links(text: str) -> list[str]:
    """Where a page leads, code aside."""
    text = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text))


def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", READ, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page.read_text()):
        if link.startswith(("http://", "https://")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), f"{page.name}: {link}"
        assert page not in DOCS or target.is_relative_to(TOP / "docs"), f"{page.name}: {link} isn't in the site"
        assert not anchor or anchor in anchors(target), f"{page.name}: {link}"


def test_the_site_has_every_page_once() -> None:
    nav = yaml.safe_load((TOP / "mkdocs.yml").read_text())["nav"]
    listed = [page for section in nav for pages in section.values() for page in pages]
    assert sorted(listed) == [page.name for page in DOCS]


# ── the README ───────────────────────────────────────────────────────────────────────────────────


def test_the_readme_is_short() -> None:
    lines = (TOP / "README.md").read_text().count("\n")
    assert lines <= 120, "for a new line, shorten another"


def test_the_readme_of_an_index_has_no_links_into_the_repository() -> None:
    hook = tomllib.loads((TOP / "pyproject.toml").read_text())["tool"]["hatch"]["metadata"]["hooks"]
    text = (TOP / "README.md").read_text()
    for rule in hook["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(rule["pattern"], rule["replacement"], text)
    assert "<!--" not in text and "![" not in text
    assert [link for link in links(text) if not link.startswith(("https://", "#"))] == []


def test_the_readme_lists_the_formats() -> None:
    section = (TOP / "README.md").read_text().split("## Formats\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE) == [format.name for format in api.formats()]


# ── the comparison ───────────────────────────────────────────────────────────────────────────────


def table(text: str) -> dict[str, dict[str, str]]:
    """The first table of a text: a row by its first cell, a cell by its heading."""
    first = re.search(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    assert first
    rows = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in first[0].splitlines()]
    return {row[0]: dict(zip(rows[0][1:], row[1:], strict=True)) for row in rows[2:]}


def in_this_process(command: list[str], cwd: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return anypatch_text(*command[command.index("anypatch") + 1 :], cwd=cwd, env=environment)


def test_the_comparison_has_every_case_and_ours_is_true() -> None:
    page = (TOP / "docs" / "comparison.md").read_text()
    told = table(page)
    assert list(told) == [case.name for case in others.CASES]
    ours = others.ours()
    for case in others.CASES:
        verdicts = {done.verdict for done in others.results(ours, case, in_this_process)}
        assert verdicts == {told[case.name]["anypatch"]} == {"right"}, case.name
        assert f"| {case.name} | {case.title} |" in page


# ── short and clean ──────────────────────────────────────────────────────────────────────────────


def test_architecture_is_short() -> None:
    assert (TOP / "ARCHITECTURE.md").read_text(encoding="utf-8").count("\n") < 120


def test_no_machine_is_named() -> None:
    """Files that users read name no path of a machine."""
    for page in (*READ, TOP / "docs" / "llms.txt", picture.PICTURE):
        assert not re.search(r"/(?:root|home|work|tmp)/", page.read_text(encoding="utf-8")), page
