"""Symbols that only a server knows, in our terms; tests/lsp/test_servers.py merges them with the grammar's."""

from __future__ import annotations

import pytest

from anypatch.lsp.document_symbols import merge_symbols


@pytest.mark.parametrize(
    ("text", "name", "kind", "at", "span", "wanted"),
    [
        # a comment that the server includes isn't a part of it; the rest of its first line is
        ("/// doc\n#[a]\npub fn f() {\n}\n", "f", 12, (2, 7), (0, 0, 3, 1), "f function 1-3"),
        ("@A\nint over(int a) {\n}\n", "over(int)", 6, (1, 4), (1, 0, 2, 1), "over method 0-2"),
        ("export const x = () => {\n};\n", "x", 12, (0, 13), (0, 13, 1, 1), "x function 0-1"),
        ("func (f *Foo) M() {\n}\n", "(*Foo).M", 6, (0, 14), (0, 0, 1, 1), "Foo/M method 0-1"),
        ("template <class T>\nclass B {\n};\n", "B<T>", 5, (1, 6), (1, 0, 2, 1), "B class 0-2"),
        ("a => 1;\n", "map() callback", 12, (0, 0), (0, 0, 0, 6), ""),
    ],
)  # fmt: skip
def test_symbols_that_only_a_server_knows(
    text: str, name: str, kind: int, at: tuple[int, int], span: tuple[int, int, int, int], wanted: str
) -> None:
    def place(line: int, character: int) -> dict[str, int]:
        return {"line": line, "character": character}

    symbol = {
        "name": name, "kind": kind, "range": {"start": place(*span[:2]), "end": place(*span[2:])},
        "selectionRange": {"start": place(*at), "end": place(at[0], at[1] + 1)},
    }  # fmt: skip
    merged = merge_symbols([symbol, {"name": "broken"}, "odd"], text, None, "x")
    summary = [f"{row.name_path} {row.kind} {row.first}-{row.last}" for row in merged.rows]
    assert summary == ([wanted] if wanted else [])
