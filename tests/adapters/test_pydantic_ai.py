"""The toolset and the workspace, with Pydantic AI and its own suite for workspaces."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.workspaces.conformance import WorkspaceBackendSuite

import anypatch
from anypatch.adapters.pydantic_ai import Workspace
from support.frameworks import DONE, PATCHES, check_refused_then_applied, run_example


def test_the_example(tmp_path: Path) -> None:
    check_refused_then_applied(run_example("Pydantic AI", tmp_path, *PATCHES))
    assert (tmp_path / "greet.py").read_bytes() == DONE.encode()


class TestWorkspace(WorkspaceBackendSuite):
    """The suite that Pydantic AI publishes."""

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    @pytest.fixture
    def has_real_posix_shell(self) -> bool:
        return True

    @pytest.fixture
    def backend(self, tmp_path: Path) -> Any:
        return Workspace(tmp_path)

    @pytest.fixture
    def destructive_backend(self, tmp_path_factory: pytest.TempPathFactory) -> Any:
        return lambda: Workspace(tmp_path_factory.mktemp("fresh"))

    @pytest.fixture
    def attach_backend(self) -> Any:
        return lambda ref: Workspace(ref.id)

    @pytest.fixture
    def destroy_environment(self) -> Any:
        async def destroy(backend: Any) -> None:
            shutil.rmtree(await backend.working_dir())

        return destroy


def test_the_workspace_can_be_undone(tmp_path: Path) -> None:
    async def work() -> None:
        space = Workspace(tmp_path)
        await space.write_bytes(str(tmp_path / "a"), b"\xff1")
        await space.write_bytes(str(tmp_path / "a"), b"\xff2")
        with pytest.raises(PermissionError):
            await space.write_bytes(str(tmp_path / ".git" / "config"), b"x")

    asyncio.run(work())
    assert (tmp_path / "a").read_bytes() == b"\xff2"
    assert anypatch.undo(tmp_path).ok and (tmp_path / "a").read_bytes() == b"\xff1"
