"""Every format has its row, and a row names what is in its folder."""

from __future__ import annotations

import os

from anypatch import formats
from anypatch.formats import known, names


def test_every_folder_is_a_format() -> None:
    folders = [entry.name for entry in os.scandir(os.path.dirname(formats.__file__)) if entry.is_dir()]
    assert {name.replace("_", "-") for name in folders if name != "__pycache__"} == set(names())
    assert [format.name for format in known()] == list(names())
