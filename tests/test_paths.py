"""Paths: normalized, denied, sensitive, of other systems, as URIs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import anypatch
from anypatch import Settings
from anypatch.paths import (
    check_new_name,
    fold_path,
    is_denied,
    normalize_path,
    path_from_uri,
    relative_to_roots,
    uri_from_path,
    why_not_on_windows,
    why_sensitive,
)
from anypatch.problems import PatchError, Refused
from support.disk_trees import (
    put,
    snapshot,
)


def new_file(path: str, text: str = "x\n") -> str:
    return f"*** Begin Patch\n*** Add File: {path}\n+{text.rstrip()}\n*** End Patch\n"


def kinds_of(report: anypatch.Result) -> list[str]:
    return [problem.kind for problem in report.problems]


# ── normalizing ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("a\0b", "NUL"),
        ("d/" * 65 + "a", "64 folders deep"),
        ("n" * 256, "longer than 255 bytes"),
        ("é" * 128, "longer"),
    ],
)
def test_a_path_that_no_file_can_have(path: str, detail: str) -> None:
    with pytest.raises(Refused) as caught:
        normalize_path(path)
    assert detail in caught.value.problems[0].detail and len(caught.value.problems[0].path) <= 201


def test_a_long_path_is_abbreviated() -> None:
    for length, shown in ((200, "/" * 200), (201, "/" * 200 + "…")):
        with pytest.raises(Refused) as caught:
            normalize_path("/" * length)
        assert caught.value.problems[0].path == shown


def test_a_path_longer_than_the_system_allows_is_refused(tmp_path: Path) -> None:
    report = added(tmp_path, "/".join(["d" * 200] * 21))
    assert [problem.kind for problem in report.problems] == ["unsafe_path"]
    assert "longer" in report.problems[0].detail


def test_a_path_as_deep_and_long_as_can_be() -> None:
    path = "d/" * 63 + "n" * 255
    assert normalize_path(f"./{path}") == path


@pytest.mark.parametrize("path", ["C:/x", "c:\\x", "\\\\server\\x", "/x", "~/x"])
def test_absolute_paths_of_any_system(path: str) -> None:
    with pytest.raises(Refused) as caught:
        normalize_path(path)
    assert caught.value.problems[0].detail == "it is absolute"


def test_paths_that_only_look_absolute() -> None:
    for path in ("c:x", "~x", "1:/x", "ab:/x"):
        assert normalize_path(path) == path


# ── names ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "name",
    [
        ".git",
        ".GIT",
        ".Git ",
        ".git.",
        ".g\u200cit",
        "git~1",
        "GIT~2",
        ".hg",
        ".svn",
        ".jj",
        ".anypatch",
        ".ANYPATCH",
        ".git::$INDEX_ALLOCATION",
        ".anypatch-20261115-214403-3f2a-0",
        ".ｇｉｔ",
    ],
)
def test_denied(name: str) -> None:
    assert is_denied(name)


@pytest.mark.parametrize("name", ["git", ".gitignore", ".github", "anypatch", "git~x", ".git-blame-ignore-revs"])
def test_not_denied(name: str) -> None:
    assert not is_denied(name)


def test_a_new_name_with_a_backslash() -> None:
    with pytest.raises(Refused) as caught:
        check_new_name("a\\b")
    assert "forward slashes" in caught.value.problems[0].advice


@pytest.mark.parametrize("path", ["aux.txt", "a/NUL", "com1", "what?.md", "a:b", "end.", "end /x", 'q"q'])
def test_names_that_windows_does_not_allow_are_noted(tmp_path: Path, path: str) -> None:
    assert why_not_on_windows(path)
    edit = json.dumps({"file_path": path, "old_string": "", "new_string": "x"})
    report = anypatch.preview(edit, tmp_path)
    assert report.ok and any("Windows" in note.text for note in report.notes)


def test_names_that_windows_allows() -> None:
    assert not any(map(why_not_on_windows, ("a.txt", "auxiliary", "com10", "console", "a.b.c", ".hidden")))


def test_two_new_names_that_are_the_same_on_other_systems(tmp_path: Path) -> None:
    both = "*** Begin Patch\n*** Add File: Readme\n+x\n*** Add File: README\n+y\n*** End Patch\n"
    assert kinds_of(anypatch.apply(both, tmp_path)) == ["unsafe_path"]
    assert fold_path("e\u0301") == fold_path("É")
    put(tmp_path, "readme", b"x\n")
    put(tmp_path, "README", b"x\n")
    edits = "".join(f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-x\n+{name}\n" for name in ("readme", "README"))
    assert anypatch.apply(edits, tmp_path).ok


# ── sensitive files ───────────────────────────────────────────────────────────────────────────────


SENSITIVE = [
    ".lefthook.yml",
    "lefthook.yaml",
    "lefthook.toml",
    ".githooks/pre-commit",
    ".husky/pre-push",
    ".gitmodules",
    ".pre-commit-config.yaml",
    ".bash_login",
    ".bashrc",
    ".zprofile",
    ".zshenv",
    ".envrc",
    ".mise.toml",
    "mise.toml",
    ".tool-versions",
    ".exrc",
    ".nvim.lua",
    ".vscode/tasks.json",
    ".zed/tasks.json",
    ".idea/workspace.xml",
    ".devcontainer.json",
    ".devcontainer/devcontainer.json",
    ".gitpod.yml",
    "AGENTS.md",
    "sub/CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    ".cursorrules",
    ".cursor/rules/a.mdc",
    ".clinerules",
    ".aider.conf.yml",
    ".mcp.json",
    ".claude/settings.json",
    ".github/copilot-instructions.md",
    ".github/workflows/a.yml",
    ".gitlab-ci.yml",
    "Jenkinsfile",
    ".woodpecker.yml",
    ".drone.yml",
    "azure-pipelines.yml",
    ".circleci/config.yml",
    ".forgejo/workflows/a.yml",
    ".builds/a.yml",
    ".cargo/config.toml",
    ".npmrc",
    ".yarnrc.yml",
    "sitecustomize.py",
    "x.pth",
    ".ssh/authorized_keys",
    ".ssh/config",
]


NOT_SENSITIVE = [
    "Makefile",
    "package.json",
    "pyproject.toml",
    ".gitignore",
    ".editorconfig",
    "README.md",
    "Dockerfile",
    "src/agents.py",
    "src/claude.py",
    "docs/agents/index.md",
    ".github/ISSUE_TEMPLATE.md",
    "config.yml",
    "build.yml",
    "src/bashrc.py",
]


def added(root: Path, path: str) -> anypatch.Result:
    patch = f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"
    return anypatch.apply(patch, root, settings=anypatch.Settings(allow_sensitive=False))


@pytest.mark.parametrize("path", SENSITIVE)
def test_sensitive(tmp_path: Path, path: str) -> None:
    report = added(tmp_path, path)
    assert [problem.kind for problem in report.problems] == ["unsafe_path"]
    assert "run this file or follow it" in report.problems[0].detail


@pytest.mark.parametrize("path", NOT_SENSITIVE)
def test_not_sensitive(tmp_path: Path, path: str) -> None:
    assert added(tmp_path, path).ok


def test_sensitive_files_are_noted_by_default(tmp_path: Path) -> None:
    report = anypatch.apply("*** Begin Patch\n*** Add File: AGENTS.md\n+x\n*** End Patch\n", tmp_path)
    assert report.ok and any("run this file or follow it" in note.text for note in report.notes)


@pytest.mark.parametrize(
    "path",
    [
        ".vscode/tasks.json",
        ".github/workflows/ci.yml",
        "sub/.GitHub/Workflows/x.yml",
        ".mcp.json",
        ".ENVRC",
        "a/.claude/settings.json",
        ".husky/pre-commit",
        ".gitattributes",
        ".gitlab-ci.yml",
        "Jenkinsfile",
    ],
)
def test_sensitive_in_other_spellings(tmp_path: Path, path: str) -> None:
    assert why_sensitive(path)
    report = anypatch.preview(new_file(path), tmp_path)
    assert report.ok and any("run this file" in note.text for note in report.notes)
    refused = anypatch.apply(new_file(path), tmp_path, settings=Settings(allow_sensitive=False))
    assert kinds_of(refused) == ["unsafe_path"] and snapshot(tmp_path) == {}


def test_why_sensitive_is_empty() -> None:
    assert not any(map(why_sensitive, ("src/a.py", ".github/CODEOWNERS", "vscode/a", "workflows/ci.yml", "README.md")))


# ── URIs ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", ["src/a b.py", "/tmp/ä#1?.py", "a%20b", "\udcff.py"])
def test_there_and_back(path: str) -> None:
    assert path_from_uri(uri_from_path(path)) == path


@pytest.mark.parametrize("uri", ["file:///tmp/a.py", "file:/tmp/a.py", "file://localhost/tmp/a.py", "FILE:///tmp/a.py"])
def test_forms_of_one_file(uri: str) -> None:
    assert path_from_uri(uri) == "/tmp/a.py"


@pytest.mark.parametrize("uri", ["https://x/a.py", "file://host/a.py", "untitled:a.py", "a.py?x", "a.py#L3", "\ud800"])
def test_uris_that_are_refused(uri: str) -> None:
    with pytest.raises(PatchError) as refused:
        path_from_uri(uri)
    assert refused.value.problems[0].kind == "unsafe_path"


def test_relative_to_roots() -> None:
    assert relative_to_roots("/srv/tree/a.py", ("/other", "/srv/tree/")) == "a.py"
    assert relative_to_roots("/srv/trees/a.py", ("/srv/tree",)) == "/srv/trees/a.py"
