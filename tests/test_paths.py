"""Paths as URIs, there and back, and what is refused."""

from __future__ import annotations

import pytest

from anypatch.paths import path_from_uri, relative_to_roots, uri_from_path
from anypatch.problems import PatchError


@pytest.mark.parametrize("path", ["src/a b.py", "/tmp/ä#1?.py", "a%20b", "\udcff.py"])
def test_there_and_back(path: str) -> None:
    assert path_from_uri(uri_from_path(path)) == path


@pytest.mark.parametrize("uri", ["file:///tmp/a.py", "file:/tmp/a.py", "file://localhost/tmp/a.py", "FILE:///tmp/a.py"])
def test_forms_of_one_file(uri: str) -> None:
    assert path_from_uri(uri) == "/tmp/a.py"


@pytest.mark.parametrize("uri", ["https://x/a.py", "file://host/a.py", "untitled:a.py", "a.py?x", "a.py#L3", "\ud800"])
def test_refused(uri: str) -> None:
    with pytest.raises(PatchError) as refused:
        path_from_uri(uri)
    assert refused.value.problems[0].kind == "unsafe_path"


def test_relative_to_roots() -> None:
    assert relative_to_roots("/srv/tree/a.py", ("/other", "/srv/tree/")) == "a.py"
    assert relative_to_roots("/srv/trees/a.py", ("/srv/tree",)) == "/srv/trees/a.py"
