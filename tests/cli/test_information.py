"""The commands formats and prompt."""

from __future__ import annotations

import json

from anypatch.formats import named
from support.program import anypatch


def test_formats_and_their_prompts() -> None:
    listed = json.loads(anypatch("formats", "--json").stdout)["formats"]
    assert {"chunk", "chunk-v2"} <= {known["name"] for known in listed}
    plain = anypatch("formats").stdout.decode()
    for known in listed:
        assert known["name"] in plain
        assert anypatch("prompt", known["name"]).stdout.decode() == f"{named(known['name']).prompt.rstrip()}\n"
    unknown = anypatch("prompt", "chunkk")
    assert unknown.returncode == 2
    assert b"chunk" in unknown.stderr
