"""Tells a fence that quotes from one that shows a file: by its label, its language, what stands in it. Pure."""

from __future__ import annotations

import re
from itertools import islice, pairwise

from ..text import pattern
from . import words
from .fences import fence_of
from .paths import path_line

_FAMILIES = {
    "shell": "bash sh shell zsh console shell-session shellsession sh-session terminal fish ksh powershell ps1 psm1"
    " pwsh cmd bat batch dos",
    "python": "python py python3 py3 ipython pyi pyx pyw pxd cython",
    "javascript": "javascript js jsx mjs cjs node typescript ts tsx mts cts",
    "json": "json jsonc json5 jsonl ndjson ipynb geojson webmanifest",
    "yaml": "yaml yml",
    "toml": "toml",
    "markup": "html htm xhtml xml svg xsd xsl xslt xaml plist resx csproj php phtml jinja jinja2 j2 twig erb ejs hbs"
    " handlebars django liquid tpl mustache",
    "css": "css scss sass less styl stylus",
    "c": "c cpp c++ cc cxx h hpp hh hxx objc objective-c objectivec m mm cuda cu arduino ino glsl hlsl",
    "java": "java",
    "kotlin": "kotlin kt kts gradle groovy",
    "scala": "scala sc sbt",
    "csharp": "csharp cs c#",
    "go": "go golang",
    "rust": "rust rs",
    "ruby": "ruby rb rake gemspec",
    "swift": "swift",
    "dart": "dart",
    "lua": "lua",
    "perl": "perl pl pm",
    "r": "r",
    "julia": "julia jl",
    "elixir": "elixir ex exs",
    "haskell": "haskell hs",
    "sql": "sql psql mysql postgresql sqlite plsql",
    "proto": "protobuf proto",
    "graphql": "graphql gql",
    "terraform": "terraform tf hcl tfvars",
    "docker": "dockerfile docker containerfile",
    "make": "makefile make mk gnumakefile",
    "cmake": "cmake",
    "latex": "latex tex",
    "prose": "markdown md mdx rst adoc asciidoc",
}
_FAMILY_OF = {word: family for family, names in _FAMILIES.items() for word in names.split()}
# Languages in whose files no output of programs can stand as it is.
_CODE = words(
    "shell python javascript json toml markup css c java kotlin scala csharp go rust ruby swift dart lua perl r julia"
    " elixir haskell sql proto graphql terraform docker make cmake"
)
_COMMANDS = words(
    "cat less more head tail bat ls cd pwd mkdir touch rm cp mv ln chmod chown echo printf grep rg ag sed awk"
    " find xargs curl wget git gh svn make cmake ninja npm npx pnpm yarn bun node deno tsc python python3 py pip"
    " pip3 pipx uv poetry pytest tox ruff black mypy flake8 go cargo rustc gcc g++ clang java javac mvn gradle"
    " docker docker-compose kubectl helm terraform ansible aws gcloud az brew apt apt-get yum dnf sudo su ssh scp"
    " rsync tar zip unzip code vim vi nano emacs open start source export bash sh zsh powershell diff patch wc"
    " sort uniq jq yq php composer ruby bundle rake rails perl dotnet swift flutter dart mix elixir psql mysql"
    " sqlite3 redis-cli systemctl journalctl ps kill env which man anypatch stat file xxd hexdump yamllint"
    " jsonlint eslint prettier jest vitest"
)
_OUTPUT = (
    r"Traceback \(most recent call last\)",
    r"  File \"[^\"]+\", line \d+",
    r"(?:[\w.]+\.)?\w*(?:Error|Exception|Warning)(?:: |$)",
    r"(?:Uncaught |Unhandled )",
    r"Exception in thread ",
    r"Caused by: ",
    r"panic: ",
    r"goroutine \d+ \[",
    r"thread '[^']*' (?:\(\d+\) )?panicked at",
    r"(?:FAILED|ERROR|PASSED|FAIL|PASS|ok) +[\w./-]+(?:::| |$)",
    r"E {3,}\S",
    r"={4,} .* ={4,}$",
    r"npm (?:ERR!|error|warn)",
    r"(?:error|warning|fatal)(?:\[\w+\])?: ",
    r"[\w./\\-]+\.\w+:\d+(?::\d+)?:",
    r"[\w./\\-]+\.\w+\(\d+(?:,\d+)?\): (?:error|warning)",
    r"(?:\$|%|>>>|\.\.\.|PS [A-Z]:\\[^>]*>|[\w.-]+@[\w.-]+[:~ ][^$#]*[$#]) ",
    r"Segmentation fault|Killed$|Aborted",
)
_STACK = r"\s+at .*(?::\d+|\(native\)|\(<anonymous>\))|\s+from \S+:\d+:in "
_LISTING = r"\s*(\d{1,6})(?:\t|[:|│]| {2,}| ?\| ?)"
# "The existing code, for reference:", "Original src/a.py", "### Before"
_OLD = (
    r"(?:(?:here|this|below|above|that)(?:'s| is| are| was)?|for reference,?|just for reference,?|we have|you have)?"
    r"[ ]*(?:the|your|our|my|its|a)?[ ]*(?:as-is|untouched|unmodified|unchanged|existing|original|current|currently|old"
    r"|previous|earlier|former|present|present-day|today's|buggy|broken|failing)\b"
)
_AS_IT_IS = (
    r"\bas (?:it|they) (?:stands?|is|was|are|were)(?: now| today)?$|\bas you (?:sent|gave|have|had|posted|wrote) it\b"
    r"|\bwhat (?:we|you) (?:have|had)(?: now| today| so far)?$|\b(?:at the moment|as of now|currently|at present)$"
    r"|\blooks like (?:this|so) (?:now|today|currently|at the moment)$|\bfor reference(?: only)?$"
)
_BEFORE = (
    r"(?:(?:the|your|our)[ ]+)?(?:(?:code|file|version|contents?|source|state|text)[ ]+)?"
    r"(?:looked[ ]+(?:like[ ]+this[ ]+)?)?before"
    r"(?:[ ]+(?:the|this|my|your|our|any)?[ ]*(?:change|edit|fix|patch|update|refactor\w*|modification)s?)?"
)
_NEW = (
    r"\b(?:new|updated?|updates|modif\w+|revised|rewritten|rewrite|chang\w+|replac\w+|becomes?|after|fix(?:ed|es)?|corrected"
    r"|improved|refactored|add(?:ed|s|ing)?|edit(?:ed|s)?|insert\w*|append\w*|should|now|extended|patched|create[ds]?)\b"
)
_EXAMPLE = (
    r"\W*(?:(?:for|as an?) (?:example|instance)\b|e\.g\."
    r"|(?:here(?:'s| is)|this is|consider|take)? ?an? (?:\w+ ){0,2}example\b"
    r"|(?:the )?(?:following )?examples?\b|sample\b|something like\b"
    r"|(?:\w+ ){1,4}(?:could|would|might|may) look like\b)"
)
_HEADER = (
    r"(?:(?:export|default|public|private|protected|static|final|abstract|async|pub|override|inline|virtual)\s+)*"
    r"(?:def|class|function|func|fn|fun|impl|struct|interface|enum|trait|module)\b|(?!(?:if|for|while|switch|catch)\b)"
    r"[\w:<>,*&~\[\] ]+\([^()]*\)(?:\s*(?:const|noexcept|override))*\s*\{?$"
    # `export const total = async (cart) => {`, and `static T total<T>(` with its arguments on lines of their own
    r"|(?:export\s+)?(?:const|let|var)\s+[\w$]+\b[^;]*(?:=>|\bfunction\b[^{]*)\s*\{?$"
    r"|(?!(?:return|await|new|throw|yield|assert)\b)[\w:<>,*&~\[\]]+ [\w:<>,*&~\[\] ]*\($"
)
# "The response will be:", "The same as a call would be:": of JSON below it, beside a patch.
_SAMPLE = (
    r"\b(?:respon\w+|returns?|returned|answers?|replies|reply|outputs?|prints?|printed|payload|body|requests?|results?|logs?"
    r"|logged|examples?|samples?|same|equivalent|would|could|might|looks? like|sends?|sent|receives?|schema|fixture)\b"
)

# Texts that are edits of a file, and not its contents, as their first lines and the marks below tell.
_EDITS = (
    r"\s*(?:```\w*\n)?(?:"
    r"[ \t]*(?:<{5,9} ?(?:SEARCH|ORIGINAL)|-{3,} ?SEARCH)\b(?s:.*)"
    r"\n[ \t]*(?:>{5,9} ?(?:REPLACE|UPDATED)|\+{3,} ?REPLACE)\b"
    r"|\*\*\* Begin Patch\n\*\*\* (?:Update|Add|Delete) File:"
    r"|(?:diff --git .*\n(?:.*\n){0,5}?)?--- \S.*\n\+\+\+ \S.*\n@@ "
    r"|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*\n(?:[ +-].*\n)*[+-])"
)


def are_edits(text: str) -> bool:
    """Whether all of a text, as far as its marks tell, is edits in some format: SEARCH blocks, a patch, hunks."""
    return pattern(_EDITS).match(text) is not None


def family(word: str) -> str:
    """The language that a fence's word or a suffix stands for, with its near kin; "" for one that isn't known."""
    return _FAMILY_OF.get(word.lower(), "")


def family_of(path: str) -> str:
    """The language of a file by its name."""
    name = path.replace("\\", "/").rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return family(suffix) if dot and stem else family(name) if not dot and family(name) in ("docker", "make") else ""


def contradicts(info: str, path: str, body: list[str]) -> bool:
    """Whether a fence's language can't be that of the file: `bash` above `config.yaml`."""
    language, file = family(_quoted_word(info)), family_of(path)
    if not language or not file or language == file:
        return False
    if file == "json" and language == "javascript":
        return next((line.strip()[:1] for line in body if line.strip()), "{") not in "{["
    # Styles, scripts and markup stand in one another's files, README files in any markup.
    web = ("javascript", "markup", "css")
    return not (
        language in web
        and file in web
        and (path.endswith((".vue", ".svelte", ".astro")) or "markup" in (language, file))
    )


def is_shell(info: str) -> bool:
    """Whether a fence holds commands, by its own word."""
    return family(_quoted_word(info)) == "shell"


def is_of_language(info: str, path: str) -> bool:
    """Whether a fence says the language of the file: `python` for `a.py`."""
    language = family(_quoted_word(info))
    return bool(language) and language == family_of(path)


def defines(body: list[str]) -> bool:
    """Whether code begins with the header of a function or a class, perhaps below decorators and comments."""
    return header_in(body) != ""


def header_in(body: list[str]) -> str:
    """The header of the function or class that code begins with, perhaps below decorators and comments; "" for none."""
    lines = (line.strip() for line in body if line.strip())
    # `[Test]` alone on a line is an attribute.
    head = next((line for line in lines if line[0] not in "@#/*" and not (line[0] == "[" and line[-1] == "]")), "")
    return head if re.match(_HEADER, head) else ""


def is_output(path: str, body: list[str]) -> bool:
    """Whether contents are what a program printed (a traceback, a session, a listing), which no file of code holds."""
    if family_of(path) not in _CODE:
        return False
    head = list(islice((line for line in body if line.strip()), 4))
    if not head:
        return False
    if any(re.match(form, head[0]) for form in _OUTPUT) or any(re.match(_STACK, line) for line in head[1:]):
        return True
    return _is_listing(body)


def is_command(path: str, info: str, body: list[str]) -> bool:
    """Whether contents are commands about the file, `cat config.yaml`, not the file itself."""
    lines = [line.strip().removeprefix("$ ") for line in body if line.strip()]
    if not lines or len(lines) > 6:
        return False
    programs = [line.split()[0] for line in lines if not line.startswith("#")]
    if not programs or not all(program in _COMMANDS or program.startswith("./") for program in programs):
        return False
    name = path.replace("\\", "/").rpartition("/")[2]
    return any(name in line for line in lines) or (is_shell(info) and family_of(path) != "shell")


def _is_listing(body: list[str]) -> bool:
    """Whether every line begins with its number, as `cat -n` has them."""
    heads = [re.match(_LISTING, line) for line in body if line.strip()]
    numbers = [int(match[1]) for match in heads if match is not None]
    return len(numbers) == len(heads) > 1 and all(a < b for a, b in pairwise(numbers))


# ── labels ───────────────────────────────────────────────────────────────────────────────────────


def is_labelled_old(lines: list[str], row: int, named: int) -> bool:
    """Whether the words above a fence say that it shows what is there already: existing, original, current, before.

    `row`: of the fence; `named`: of the line with its path, which may be the fence itself.
    """
    above = _above(lines, min(row, named))
    labels = [lines[named]] if named != row else []
    if above >= 0 and (named == row or (path_line(lines[named]) is not None and _is_bare(lines[named]))):
        labels.append(lines[above])
    return any(says_old(label) for label in labels)


def is_example(lines: list[str], row: int) -> bool:
    """Whether the line above a row says that what follows is an example: "For instance:", "### Example"."""
    above = _above(lines, row)
    if above < 0:
        return False
    line = lines[above].strip()
    return is_example_label(line) and (line.endswith(":") or line.startswith("#")) and len(line.split()) <= 14


def is_sample(lines: list[str], row: int) -> bool:
    """Whether the line above JSON says that it only shows some: what a server answers, the same edit once more."""
    above = _above(lines, row)
    line = lines[above].strip() if above >= 0 else ""
    return line.endswith(":") and re.search(_SAMPLE, line, re.IGNORECASE) is not None


def is_example_label(label: str) -> bool:
    """Whether a label says that what stands behind it is only an example."""
    return re.match(_EXAMPLE, label, re.IGNORECASE) is not None


def _above(lines: list[str], row: int) -> int:
    """The next line above a row that isn't blank, with two blank ones between at most; -1 where there is none."""
    for at in range(row - 1, max(row - 4, -1), -1):
        if lines[at].strip():
            return -1 if fence_of(lines[at]) else at
    return -1


def _is_bare(line: str) -> bool:
    """Whether a line with a path holds nothing that labels it."""
    return len(line.strip(" \t#*`:").split()) == 1


def says_old(label: str) -> bool:
    """Whether a label says that what follows is there already: "The existing code, for reference:"."""
    text = re.sub(r"`[^`]*`", "", label).strip().lstrip("#*/->•0123456789.) \t").rstrip(":*.,;!) \t")
    if re.search(_AS_IT_IS, text, re.IGNORECASE):
        return True
    if len(text.split()) > 9 or re.search(_NEW, re.sub(_BEFORE, "", text, flags=re.IGNORECASE), re.IGNORECASE):
        return False
    if re.match(_OLD, text, re.IGNORECASE) or re.search(
        r"(?:\(|[-–—:]) ?(?:existing|original|current|before|old|unchanged)$", text, re.I
    ):
        return True
    return re.match(_BEFORE + r"\W*(?:\(?[\w./\\-]*)$", text, re.IGNORECASE) is not None


def is_prose(paragraph: list[str]) -> bool:
    """Whether a paragraph is a sentence, a list or a heading, not code."""
    first, last = paragraph[0], paragraph[-1].rstrip()
    words = first.lstrip("-+*#>_`\"'( 0123456789.)")
    if not words[:1].isalpha() or not first[:4].strip() or set("={};").intersection(first):
        return False
    ended = last[-1:] in (".", "!", "?") or (last[-1:] == ":" and len(paragraph) == 1)
    return ended or re.match(r"(?:[-*+>]|#{1,6}|[0-9]+[.)]) |\*\*", first) is not None


def _quoted_word(info: str) -> str:
    return info.strip().partition(" ")[0].partition(":")[0].partition("{")[0].strip(",.")
