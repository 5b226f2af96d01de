"""Installing, listing and removing the shims, in a folder of its own; what exists already stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anypatch.cli.shims import NAMES
from support.program import anypatch_text, environment


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A home, and a PATH with nothing but a folder of it and the system's."""
    (tmp_path / "home" / ".local" / "bin").mkdir(parents=True)
    return environment(HOME=str(tmp_path / "home"), PATH=f"{tmp_path}/home/.local/bin{os.pathsep}/usr/bin:/bin")


def shims(env: dict[str, str], *arguments: str) -> tuple[int, list[str]]:
    done = anypatch_text("shims", *arguments, env=env)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_they_are_installed_listed_and_removed(env: dict[str, str]) -> None:
    folder = Path(env["HOME"], ".local", "bin")
    assert shims(env) == (0, [*(f"{name:<18}  not installed" for name in NAMES), f"{folder} is on PATH"])
    code, lines = shims(env, "install")
    assert code == 0 and lines == [*(f"{folder / name}: installed" for name in NAMES), f"{folder} is on PATH"]
    assert all(os.access(folder / name, os.X_OK) for name in NAMES)
    assert shims(env, "install")[1][0] == f"{folder}/apply_patch: already installed"
    assert shims(env)[1][2] == f"str_replace_editor  {folder}/str_replace_editor"
    assert shims(env, "uninstall") == (0, [f"{folder / name}: removed" for name in NAMES])
    assert not any(folder.iterdir()) and shims(env, "uninstall") == (0, ["no shim is installed"])


def test_a_shim_of_another_python_is_replaced(env: dict[str, str]) -> None:
    shims(env, "install")
    shim = Path(env["HOME"], ".local", "bin", "apply_patch")
    text = shim.read_text()
    shim.write_text(text.replace("exec ", "exec /gone"))
    assert shims(env, "install")[1][0] == f"{shim}: installed" and shim.read_text() == text


@pytest.mark.parametrize("where", ["there", "elsewhere on PATH"])
def test_nothing_is_replaced_that_exists(env: dict[str, str], tmp_path: Path, where: str) -> None:
    folder = Path(env["HOME"], ".local", "bin")
    other = folder if where == "there" else tmp_path / "other"
    other.mkdir(exist_ok=True)
    (other / "apply_patch").write_text("#!/bin/sh\necho original\n")
    (other / "apply_patch").chmod(0o755)
    env["PATH"] = f"{other}{os.pathsep}{env['PATH']}"
    code, lines = shims(env, "install")
    assert code == 1 and str(other / "apply_patch") in lines[0] and "installed" in lines[1]
    assert "another program" in shims(env)[1][0]
    assert f"{other / 'apply_patch'}: not a shim of anypatch, left alone" in shims(env, "uninstall")[1]
    assert [path.name for path in folder.iterdir()] == (["apply_patch"] if where == "there" else [])
    assert (other / "apply_patch").read_text() == "#!/bin/sh\necho original\n"


def test_another_folder_is_made_and_path_is_mentioned(env: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "new folder" / "bin"
    code, lines = shims(env, "install", "--dir", str(folder))
    assert code == 0 and (folder / "applypatch").exists()
    assert lines[-1] == f"{folder} is not on PATH; add it: export PATH='{folder}':\"$PATH\""
    assert shims(env, "uninstall", "--dir", str(folder))[0] == 0 and not any(folder.iterdir())


def test_a_folder_that_cannot_be_written_is_a_refusal(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = anypatch_text("shims", "install", "--dir", str(tmp_path / "file" / "bin"), env=env)
    assert done.returncode == 3 and "--dir" in done.stderr
