"""Files that programs run or obey on their own are guarded by kind; planted receipts and odd files do no harm."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import anypatch
from anypatch.cli.terminal import harmless
from anypatch.mcp.calls import Invocation, run_tool
from anypatch.report import for_model

GUARDED = [
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
FREE = [
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


@pytest.mark.parametrize("path", GUARDED)
def test_guarded(tmp_path: Path, path: str) -> None:
    report = added(tmp_path, path)
    assert [problem.kind for problem in report.problems] == ["unsafe_path"]
    assert "run this file or follow it" in report.problems[0].detail


@pytest.mark.parametrize("path", FREE)
def test_not_guarded(tmp_path: Path, path: str) -> None:
    assert added(tmp_path, path).ok


def test_the_command_only_notes(tmp_path: Path) -> None:
    report = anypatch.apply("*** Begin Patch\n*** Add File: AGENTS.md\n+x\n*** End Patch\n", tmp_path)
    assert report.ok and any("run this file or follow it" in note.text for note in report.notes)


def test_a_path_longer_than_the_system_allows_is_refused(tmp_path: Path) -> None:
    report = added(tmp_path, "/".join(["d" * 200] * 21))
    assert [problem.kind for problem in report.problems] == ["unsafe_path"]
    assert "longer" in report.problems[0].detail


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.py")
    for command in (["outline", "x.py"], ["read", "x.py", "f"]):
        done = subprocess.run(
            [sys.executable, "-m", "anypatch", *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        assert done.returncode == 1 and "regular file" in done.stderr


def test_planted_receipts_push_none_out(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("a\nb\n")
    for number in range(10, 34):
        (tmp_path / ".anypatch" / f"20991116-0000{number}-ffff.4").mkdir(parents=True)
    for old, new in (("a", "A"), ("b", "B")):
        patch = f"*** Begin Patch\n*** Update File: x.txt\n@@\n-{old}\n+{new}\n*** End Patch\n"
        assert anypatch.apply(patch, tmp_path).ok
    assert len(anypatch.log(tmp_path)) == 2
    assert anypatch.undo(tmp_path).ok and anypatch.undo(tmp_path).ok
    assert (tmp_path / "x.txt").read_text() == "a\nb\n"


def test_signs_of_no_width_are_shown() -> None:
    assert harmless("x\u200b = \u202e2") == "x\\u200b = \\u202e2"
    assert harmless("a\U000e0041\u061c\ufff9") == "a\\U000e0041\\u061c\\ufff9"
    report = anypatch.apply_to("*** Begin Patch\n*** Delete File: a\u200b.py\n*** End Patch\n", {"a.py": "x\n"})
    assert not report.ok and "a\\u200b.py doesn't exist" in for_model(report)


def test_a_folder_is_outlined_without_what_its_links_lead_out_to(tmp_path: Path) -> None:
    for place in ("root/sub", "out"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "a.py").write_text("def f(): pass\n")
    root = tmp_path / "root"
    for name, target in (("in.py", "sub/a.py"), ("out.py", "../out/a.py"), ("far.py", str(tmp_path / "out/a.py"))):
        (root / name).symlink_to(target)
    (root / "folder").symlink_to(tmp_path / "out")
    done = subprocess.run(
        [sys.executable, "-m", "anypatch", "outline", "."], cwd=root, capture_output=True, text=True, check=True
    )
    assert [line for line in done.stdout.split("\n") if line.endswith(".py")] == ["./in.py", "./sub/a.py"]


@pytest.mark.parametrize("tool", ["outline", "read_symbol"])
def test_the_server_reads_regular_files_of_its_root_only(tmp_path: Path, tool: str) -> None:
    root, out = tmp_path / "root", tmp_path / "out"
    for place in (root, out):
        place.mkdir()
        (place / "a.py").write_text("def f(): pass\n")
    links = {
        "far.py": str(out / "a.py"),
        "near.py": "../out/a.py",
        "chain.py": "far.py",
        "folder": str(out),
        "up": "..",
    }
    links |= {"null.py": "/dev/null", "self.py": "/proc/self/environ", "loop.py": "loop.py"}
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe.py")
    (root / "folder.py").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(root / "socket.py"))
    unsafe = [*links, "folder/a.py", "up/out/a.py", "../out/a.py", str(out / "a.py"), "/dev/null"]
    unsafe += ["d" * 300 + ".py", "/".join(["d" * 200] * 21), "a.py\0", ".git/config"]
    folders = ["folder.py"] if tool == "read_symbol" else []  # an outline may be of a folder, the root among them
    unsafe += [".", ""] if tool == "read_symbol" else []

    def asked(path: str) -> list[str]:
        call = Invocation(tool, {"relative_path": path, "name_path": "f"}, str(root), anypatch.Settings())
        return [problem["kind"] for problem in run_tool(call).value["problems"]]

    assert [path for path in unsafe if asked(path) != ["unsafe_path"]] == []
    assert [path for path in ("pipe.py", "socket.py", *folders) if asked(path) != ["not_a_file"]] == []
