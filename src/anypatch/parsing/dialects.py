"""The dialects of edit tools: a row for each vendor, and what follows from the rows. Data only; reads no JSON.

    Dialect(
        "Acme's editor",
        tools={"edit": "swap_text", "delete": "drop_file"},
        keys={"path": "file_path", "old": "before_text", "new": "after_text"},
        shapes={"edit": "before_text after_text"},
    ),

`tools`: what a call does, and the names of the tools, commands or types that do it.
  edit: text for text · write: a whole file, over one that is there · create: a new one · insert: lines below a numbered
  one · sketch: a file shown in part · diff: hunks of one file · delete · move · view: changes nothing · undo, notebook:
  refused
`keys`: what a value is, and the keys it stands under.
  path · old, new: the texts of an edit · content: a file's · code: a sketch's · diff · edits: a list of edits · line,
  lines: of an insertion · all: replace all places · times: so many · from, to: of a move · dry_run
`shapes`: keys that make an object a call by themselves, whatever else it has. The rarest key comes first; `path` is
  any key of a path, and `path?` one that may also stand in an object before or around this one.
`weak`: the same, where the keys are so common that in a whole answer they count only beside the name of one of the
  row's tools; under "" keys that say nothing about what the call does.

Names and keys may be written in any spelling: file_path, filePath and file-path are one.
"""

from __future__ import annotations

from functools import cache, lru_cache

from ..record import NamedTuple

_NO_NAMES: dict[str, str] = {}


class Dialect(NamedTuple):
    """How one vendor's models call tools that edit files; see the module."""

    vendor: str
    tools: dict[str, str] = _NO_NAMES
    keys: dict[str, str] = _NO_NAMES
    shapes: dict[str, str] = _NO_NAMES
    weak: dict[str, str] = _NO_NAMES


DIALECTS = (
    Dialect(
        "Anthropic's text editor",
        tools={"edit": "str_replace", "insert": "insert", "create": "create", "view": "view", "undo": "undo_edit undo",
               "delete": "delete"},
        keys={"path": "path", "old": "old_str", "new": "new_str", "content": "file_text", "line": "insert_line",
              "lines": "insert_text new_str"},
        shapes={"insert": "insert_line path?", "create": "file_text path?",
                "edit": "old_str new_str, old_str path?, old_str command"},
        weak={"edit": "new_str path?", "": "command path"},
    ),
    Dialect(
        "Claude Code",
        tools={"edit": "Edit MultiEdit", "write": "Write", "view": "Read", "notebook": "NotebookEdit"},
        keys={"path": "file_path", "old": "old_string", "new": "new_string", "all": "replace_all", "edits": "edits"},
        shapes={"edit": "old_string new_string, old_string path?, new_string path?, edits path?"},
        weak={"write": "content path", "": "file_path name"},
    ),
    Dialect(
        "OpenAI's apply_patch",
        tools={"diff": "apply_patch update_file", "create": "create_file", "delete": "delete_file"},
        keys={"diff": "diff patch input patch_text", "to": "move_to new_path rename_to destination"},
        shapes={"diff": "diff path"},
        weak={"": "operation type, path type, input name, arguments name, command, path name"},
    ),
    Dialect(
        "Cursor and the like",
        tools={"edit": "edit_file search_replace"},
        keys={"path": "target_file", "code": "code_edit"},
        shapes={"sketch": "code_edit path"},
    ),
    Dialect(
        "Gemini CLI",
        tools={"edit": "replace", "write": "write_file", "view": "read_file read_many_files"},
        keys={"path": "absolute_path", "times": "expected_replacements", "all": "allow_multiple"},
        weak={"": "file_path name"},
    ),
    Dialect(
        "Copilot in VS Code",
        tools={"edit": "replace_string_in_file multi_replace_string_in_file", "sketch": "insert_edit_into_file",
               "notebook": "edit_notebook_file"},
        keys={"edits": "replacements", "code": "code"},
        weak={"": "code file_path"},
    ),
    Dialect(
        "MCP's file system",
        tools={"write": "write_file", "move": "move_file rename_file", "view": "read_multiple_files"},
        keys={"old": "old_text", "new": "new_text", "dry_run": "dry_run", "from": "source source_path old_path from",
              "to": "destination_path to"},
        shapes={"edit": "old_text new_text, old_text path?"},
        weak={"edit": "new_text path?", "write": "content path", "": "source destination"},
    ),
    Dialect(
        "Cline and Roo",
        tools={"diff": "apply_diff replace_in_file", "write": "write_to_file"},
    ),
    Dialect(
        "other tools, by what they are often called",
        tools={
            "edit": "search_and_replace find_and_replace edit_tool", "create": "new_file add_file",
            "write": "save_file overwrite_file file_write", "insert": "insert_lines", "sketch": "insert_edit",
            "delete": "remove_file remove", "move": "move rename", "diff": "patch", "view": "open open_file cat",
            "notebook": "edit_notebook",
        },
        keys={
            "path": "file filename relative_path",
            "old": "old old_code old_content search find original",
            "new": "new new_code new_content replace replacement updated",
            "content": "content contents file_content text", "edits": "changes", "line": "line after_line",
            "lines": "text content", "all": "replace_all_matches", "times": "expected_occurrences",
        },
        shapes={"edit": "search replace path?, find replace path?", "write": "content file_path"},
        weak={
            "edit": "old_code new_code path?, search replacement path?, find replacement path?, old new path?, "
            "original updated path?, original replacement path?, original new path?, changes path",
        },
    ),
)  # fmt: skip

# Keys beside those of shapes, of the wrapping and of edits of symbols, that no other JSON is likely to have.
_TELLING = "edits operation toolcalls arguments replaceall relativepath namepath contextbefore"


class Shape(NamedTuple):
    """Keys that make a call, plain; `inside`: those of them that an object must have itself, with any path as `path`.

    `names`: the tools of which one must be named in the answer, none where the keys are enough.
    """

    verb: str
    keys: frozenset[str]
    inside: frozenset[str]
    names: tuple[str, ...]


@lru_cache(maxsize=256)
def plain(key: str) -> str:
    """A key as all dialects spell it: file_path, filePath and file-path are one."""
    return key.strip().replace("_", "").replace("-", "").lower()


@cache
def keys_of(field: str) -> tuple[str, ...]:
    """The plain keys under which a value may stand, in the order of the rows."""
    return tuple(dict.fromkeys(plain(key) for row in DIALECTS for key in row.keys.get(field, "").split()))


@cache
def _verbs() -> dict[str, str]:
    return {plain(name): verb for row in DIALECTS for verb, names in row.tools.items() for name in names.split()}


def verb_of(name: str) -> str:
    """What a tool or command does, by its name in any spelling; "" for a name that isn't known."""
    return _verbs().get(plain(name), "")


@cache
def shapes() -> tuple[Shape, ...]:
    """The shapes of all rows, those first that tell by themselves."""
    listed_shapes: list[Shape] = []
    for weak in (False, True):
        for row in DIALECTS:
            names = tuple(name for names in row.tools.values() for name in names.split()) if weak else ()
            for verb, listed in (row.weak if weak else row.shapes).items():
                listed_shapes += [_shape(verb, words, names) for words in listed.split(",")]
    return tuple(listed_shapes)


def _shape(verb: str, words: str, names: tuple[str, ...]) -> Shape:
    needed = [plain(word) for word in words.split() if word[-1] != "?"]
    inside = frozenset("path" if key in keys_of("path") else key for key in needed)
    return Shape(verb, frozenset(plain(word.rstrip("?")) for word in words.split()), inside, names)


def with_path(keys: set[str]) -> set[str]:
    """Plain keys, and `path` for any key of a path."""
    return keys if keys.isdisjoint(keys_of("path")) else {*keys, "path"}


def verb_by_keys(keys: set[str]) -> str:
    """What an object with some plain keys does, by its keys alone; "" where they make no call."""
    known = with_path(keys)
    verb = next((shape.verb for shape in shapes() if shape.verb and shape.inside <= known), "")
    # `{"path": …, "content": …, "old": …}` isn't the whole file, whatever else it is.
    texts = (*keys_of("old"), *keys_of("edits"), *(keys_of("new") if verb in ("write", "create", "diff") else ()))
    return "edit" if verb and not keys.isdisjoint(texts) else verb


@cache
def _telling() -> frozenset[str]:
    listed = [words for row in DIALECTS for words in (*row.shapes.values(), *row.weak.values())]
    keys = [plain(word.strip(",?")) for words in listed for word in words.split() if "_" in word]
    return frozenset((*keys, *_TELLING.split()))


def tells(keys: set[str]) -> bool:
    """Whether keys are those of an edit, be it a broken one, rather than of code in the prose."""
    names = {plain(key) for key in keys}
    return not names.isdisjoint(_telling()) or bool(verb_by_keys(names)) or {"path", "command"} <= names


def signs() -> tuple[str, ...]:
    """Texts one of which stands in every answer that has a call: the rarest key of each shape, as it may be spelled."""
    spellings: list[str] = ["<parameter"]
    for row in DIALECTS:
        for listed in (*row.shapes.values(), *row.weak.values()):
            for words in listed.split(","):
                head, *tail = words.split()[0].split("_")
                if tail:
                    spellings += ["_".join((head, *tail)), head + "".join(map(str.capitalize, tail))]
                else:
                    spellings += [f'"{head}"', f"'{head}'", f'{head}\\"']
    return tuple(dict.fromkeys(spellings))
