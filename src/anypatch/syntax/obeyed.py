"""Comments that programs obey: switches of linters, formatters, type checkers, compilers and build tools. A table."""

from __future__ import annotations

from .forms import pattern

# What a comment begins with; behind it, one of the words below.
_OPENS = r"(?:#|//|/\*|<!--|\*)[#/*!\-\s]*"
_WORDS = (
    # Python
    r"type:\s*ignore|type:\s*[\w\[]|noqa|pylint:|pragma:|fmt:|yapf:|isort:|ruff:|mypy:|pyright:|flake8:|nosec|nopep8",
    r"doctest:|cython:|distutils:|///\s*script|[^\s#]*coding[:=]\s*[-\w.]+|-\*-|vim?:",
    # JavaScript, TypeScript, pages, styles
    r"@ts-|@flow|\$Flow|@jsx|@vite-ignore|[@#]__\w+__|webpack\w+:|(?:eslint|tslint|jshint|jslint|stylelint|oxlint)\b",
    r"(?:istanbul|c8|v8)\s+ignore|[#@]\s*source(?:Mapping)?URL=|<reference\b|deno-|\[if\b|<!\[endif\]",
    # Go, C, C++, Java, C#, Kotlin, Swift, Dart
    r"go:\w|\+build\b|nolint|line\s+\S+:\d+|IWYU\b|clang-format\b|clang-tidy\b|fall[\s-]?thr|LCOV_|GCOV|coverity\b",
    r"cppcheck-|noinspection\b|CHECKSTYLE|@formatter:|NOPMD|NOSONAR|\$NON-NLS|ReSharper\b|ktlint-|swiftlint:",
    r"swiftformat:|ignore(?:_for_file)?:|@dart\s*=|scala(?:style|fix|fmt):",
    # the rest
    r"shellcheck\b|rubocop:|frozen_string_literal:|typed:|:nocov:|no critic|@phpstan-|@psalm-|phpcs:",
    r"@codeCoverageIgnore|luacheck:|yamllint\b|yaml-language-server:|hadolint\b|syntax=|escape=|tfsec:|tflint-|checkov:|credo:",
    r"markdownlint-|nosemgrep|gitleaks:|cspell:|codespell:|prettier-|biome-|SPDX-|spotless:|\w+-(?:ignore|disable|enable|suppress)\b",
)
_OBEYED = rf"(?i)\A(#!)|(?<=//)(export)\s+\w+\s*\Z|{_OPENS}({'|'.join(_WORDS)})"


def switch_in(line: str, code: str = "") -> str:
    """The word by which a program obeys a comment of a line; "" where none does. `code`: the line without comments."""
    found = pattern(_OBEYED).search(line)
    if found is None or pattern(_OBEYED).search(code):
        return ""
    return "".join(found[found.lastindex or 0].lower().split())
