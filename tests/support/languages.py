"""Languages by suffix, and random text out of what their lexers look for."""

from __future__ import annotations

from hypothesis import strategies as st

from anypatch.syntax.languages import Language, language_of

SUFFIXES = [
    "c",
    "cpp",
    "java",
    "js",
    "tsx",
    "go",
    "rs",
    "cs",
    "php",
    "kt",
    "scala",
    "swift",
    "dart",
    "groovy",
    "proto",
    "css",
    "scss",
    "py",
    "xml",
    "html",
]

FRAGMENTS = [
    *"\"'`/\\#{}()[]<>$@*!?:;-+_.,|&=x1 \t\n",
    *("//", "/*", "*/", '"""', "'''", "\\\n", '\\"', 'R"(', ')"', 'r#"', '"#', "${", "\\(", "{$", "f'", 'f"', "rf'''"),
    *("<!--", "-->", "<![CDATA[", "]]>", "<script>", "</script>", "<?php", "?>", "<<<A\n", "\nA;", "@", '$"', '$@"'),
    *(
        "u8'",
        "L'",
        "don't",
        "1'0",
        "return ",
        "/+",
        "+/",
        "é",
        "\ud800",
        "\x01",
        "<style a='",
        "{{",
        "}}",
        "\\N{",
        "lambda",
    ),
]
NASTY = st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join)


def language_with(suffix: str) -> Language:
    language = language_of(f"x.{suffix}")
    assert language is not None
    return language
