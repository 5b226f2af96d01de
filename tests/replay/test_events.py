"""Lines of JSON that aren't, and values that are something else than expected."""

from __future__ import annotations

from pathlib import Path

from anypatch.replay.events import absolute, dict_of, dicts_of, json_lines, text_of


def test_a_line_that_is_no_object_is_told_as_such(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"a": 1}\n\n[1]\n{"b": \n' + b"[" * 100_000 + b'\n\xff\xfe\n{"c": "\xe9"}\n')
    assert list(json_lines(str(file))) == [{"a": 1}, None, None, None, None, {"c": "\ufffd"}]


def test_values_of_any_type_are_read() -> None:
    assert dict_of([1]) == {} and dict_of({"a": 1}) == {"a": 1}
    assert dicts_of("ab") == [] and dicts_of([1, {"a": 1}]) == [{"a": 1}]
    assert text_of([{"type": "text", "text": "a"}, {"text": 1}, {"text": "b"}]) == "a\nb"
    assert text_of(None) == "" and text_of("a") == "a"


def test_paths_start_from_the_folder() -> None:
    assert absolute("./shop/../a.py", "/work") == "/work/a.py"
    assert absolute("/other/a.py", "/work") == "/other/a.py"
