"""How often a spoilt patch lands right: format by mistake, right / refused / wrong, over real files of this machine.

    python bench/accuracy.py                     the table
    python bench/accuracy.py --changes 200       over more changes
    python bench/accuracy.py --show 3            with examples of what went wrong
    python bench/accuracy.py --refused "slip"    with examples of refusals under the mistakes of that name
    python bench/accuracy.py --git .             over the changes that a repository's commits made
    python bench/accuracy.py --trees OLD NEW     over what two versions of a folder differ in
    python bench/accuracy.py --git . --clean     only what is refused of every change, written as a diff without mistakes

Percentages count patches with one reading; where a mistake takes the meaning away, a refusal is the right answer and
only wrong edits are counted. Seeded: the same files and the same seed give the same table.
"""

from __future__ import annotations

import argparse
import difflib
import itertools
import random
import subprocess
import sys
import sysconfig
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import anypatch
from anypatch.diff import opcodes
from support import mistakes
from support.mistakes import Case, Verdict
from support.spoils import PATHS


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--changes", type=int, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--format", default="")
    options.add_argument("--show", type=int, default=0, help="print so many wrong edits a format and mistake")
    options.add_argument("--refused", default="", help="print refusals of one-reading cases under mistakes so named")
    options.add_argument("--git", default="", help="take the changes from the history of this repository")
    options.add_argument("--trees", nargs=2, default=(), help="take the changes from two versions of a folder")
    options.add_argument("--clean", action="store_true", help="no mistakes, all changes: how many are refused, and why")
    chosen = options.parse_args()
    real = history(chosen.git) if chosen.git else differences(*chosen.trees) if chosen.trees else None
    if chosen.clean:
        clean(real or [])
        return
    cases = drawn(chosen.changes, chosen.seed) if real is None else spoilt(real, chosen.changes, chosen.seed)
    tally: Counter[tuple[str, str, str]] = Counter()
    shown: Counter[tuple[str, str, str]] = Counter()
    for case in cases:
        if chosen.format and case.format != chosen.format:
            continue
        for each, verdict in outcomes(case):
            tally[each.format, each.spoil, count_as(each, verdict)] += 1
            wanted = verdict.word == "wrong" or (
                each.one and verdict.word == "refused" and chosen.refused and chosen.refused in each.spoil
            )
            key = (each.format, each.spoil, verdict.word)
            if wanted and shown[key] < chosen.show:
                shown[key] += 1
                explain(each, verdict)
    table(tally)


def drawn(changes: int, seed: int) -> Iterator[Case]:
    sources = corpus()
    for number in range(changes):
        rng = random.Random(seed * 1_000_003 + number)
        path, text = rng.choice(sources)
        change = mistakes.make_change(path, text, rng)
        if change is not None:
            yield from mistakes.cases(change, rng)


# ── real changes ─────────────────────────────────────────────────────────────────────────────────


def spoilt(pairs: list[tuple[str, bytes, bytes]], changes: int, seed: int) -> Iterator[Case]:
    """Real changes of single files, drawn at random."""
    rng = random.Random(seed)
    rng.shuffle(pairs)
    made = (change for path, before, after in pairs if (change := real_change(path, before, after)))
    for number, change in enumerate(itertools.islice(made, changes)):
        yield from mistakes.cases(change, random.Random(seed * 1_000_003 + number))


def clean(pairs: list[tuple[str, bytes, bytes]]) -> None:
    """Every change as a unified diff, applied: what is refused looks like a mistake, and is none."""
    tally: Counter[str] = Counter()
    for path, before, after in pairs:
        try:
            patch = anypatch.make({path: before.decode()}, {path: after.decode()}, "unified")
        except (UnicodeDecodeError, anypatch.PatchError):
            continue
        result = anypatch.apply_to(patch, {path: before}, format="unified")
        right = result.ok and result.files[path] == after
        tally["changes"] += 1
        tally["right" if right else "wrong" if result.ok else f"refused: {result.problems[0].kind}"] += 1
    for word, count in tally.most_common():
        print(f"{count:7} {word}")


def real_change(path: str, before: bytes, after: bytes) -> mistakes.Change | None:
    """Return the changes as separate runs of lines; None if a model wouldn't be asked for them in one patch."""
    try:
        old, new = before.decode(), after.decode()
    except UnicodeDecodeError:
        return None
    if "\r" in old + new or not old.endswith("\n") or not new.endswith("\n") or not 15 < old.count("\n") < 1200:
        return None
    lines, after_lines = old[:-1].split("\n"), new[:-1].split("\n")
    splices: list[mistakes.Splice] = []
    for start, end, new_start, new_end in opcodes(lines, after_lines):
        last = splices[-1] if splices else None
        if last is not None and start <= last.end + 1:
            between = lines[last.end : start]
            splices[-1] = mistakes.Splice(last.start, end, [*last.new, *between, *after_lines[new_start:new_end]])
        else:
            splices.append(mistakes.Splice(start, end, after_lines[new_start:new_end]))
    size = sum(one.end - one.start + len(one.new) for one in splices)
    return mistakes.Change(f"src/{path}", lines, splices) if 0 < len(splices) <= 6 and size <= 120 else None


def history(repository: str) -> list[tuple[str, bytes, bytes]]:
    """Path, text before and after of every file that a commit of the last 400 changed."""

    def git(*arguments: str) -> bytes:
        return subprocess.run(["git", "-C", repository, *arguments], check=True, capture_output=True).stdout

    log = git("log", "-n", "400", "--no-merges", "--diff-filter=M", "--format=", "--raw", "--no-abbrev", "--no-renames")
    rows = [row.split("\t") for row in log.decode("utf-8", "surrogateescape").split("\n") if row.startswith(":")]
    return [
        (path, git("cat-file", "blob", said.split()[2]), git("cat-file", "blob", said.split()[3]))
        for said, path in rows
    ]


def differences(old: str, new: str) -> list[tuple[str, bytes, bytes]]:
    """Yield path, text before and text after of every file that is in both folders and differs."""
    found = []
    for file in sorted(Path(old).rglob("*")):
        other = Path(new) / file.relative_to(old)
        if file.is_file() and other.is_file() and file.read_bytes() != other.read_bytes():
            found.append((str(file.relative_to(old)), file.read_bytes(), other.read_bytes()))
    return found


def outcomes(case: Case) -> Iterator[tuple[Case, Verdict]]:
    verdict = mistakes.judge(case)
    yield case, verdict
    if verdict.word == "right" and case.spoil in ("none", "rendered: none") and case.format != "chunk-v2":
        yield case._replace(spoil="applied again", one=False), mistakes.judge_again(case)


def count_as(case: Case, verdict: Verdict) -> str:
    return verdict.word if case.one else verdict.word + " (no one reading)"


def corpus() -> list[tuple[str, str]]:
    """Source files of the machine, a language after another, each no longer than a model would be shown."""
    library = Path(sysconfig.get_paths()["stdlib"])
    groups = [
        sorted(library.glob("*.py"))[::2],
        sorted(Path("/usr/include").glob("*.h"))[::4],
        sorted(Path("/usr/lib/node_modules/npm").rglob("lib/**/*.js"))[::8],
        sorted(Path("/usr/share/nodejs").rglob("lib/**/*.js"))[::20],
        sorted(Path("/usr/include/c++").rglob("*.h"))[::9],
        sorted(Path("/usr/share/perl").rglob("*.pm"))[::9],
        sorted(Path("/usr/share/cmake").rglob("*.cmake"))[::9],
        sorted(Path("/usr/share/php").rglob("*.php"))[::3],
        sorted(Path("/usr/share/tcltk").rglob("*.tcl"))[::2],
        sorted(Path("/usr/share/doc").rglob("*.html"))[::9],
        [*sorted(Path("/usr/share/doc").rglob("*.go")), *sorted(Path("/usr/share").rglob("*.css"))[:20]],
    ]
    found = [(f"src/lib/{file.name}", file.read_bytes()) for group in groups for file in group[:60] if file.is_file()]
    for archive in sorted(Path("/usr/lib/jvm").glob("*/lib/src.zip")):
        if archive.exists():
            with zipfile.ZipFile(archive) as packed:
                names = sorted(name for name in packed.namelist() if name.startswith("java.base/java/util/"))[::9]
                found += [(f"src/java/{name.rsplit('/', 1)[1]}", packed.read(name)) for name in names[:40]]
            break
    texts = []
    for path, data in found:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue
        if 15 < text.count("\n") < 1200 and "\r" not in text:
            texts.append((path, text))
    return texts


def explain(case: Case, verdict: Verdict) -> None:
    print(f"\n#### {case.format} · {case.spoil} · {verdict.word} {verdict.why} · named={case.named} one={case.one}")
    print(case.text if len(case.text) < 4000 else case.text[:2000] + "\n[…]\n")
    for path in sorted({*case.right[0], *verdict.got}):
        want, got = case.right[0].get(path, b""), verdict.got.get(path, b"")
        if want != got:
            lines = difflib.unified_diff(
                want.decode("utf-8", "replace").split("\n"),
                got.decode("utf-8", "replace").split("\n"),
                "right " + path,
                "got",
                "",
                "",
                2,
                "",
            )
            print("\n".join(repr(line)[1:-1] for line in list(lines)[:40]))


def table(tally: Counter[tuple[str, str, str]]) -> None:
    words = ("right", "cosmetic", "refused", "wrong")
    spoils = sorted({spoil for _, spoil, _ in tally})
    names = [name for name in PATHS if any(key[0] == name for key in tally)]
    print(
        f"\nright/cosmetic/refused/wrong where there is one reading; where there is none, in brackets\n{'':34}"
        + "".join(f"{name:>24}" for name in names)
    )
    for spoil in spoils:
        row = f"{spoil:34}"
        for name in names:
            one = [tally[name, spoil, word] for word in words]
            none = [tally[name, spoil, word + " (no one reading)"] for word in words]
            cell = "/".join(map(str, one)) if any(one) else "-"
            cell += f" ({'/'.join(map(str, none))})" if any(none) else ""
            row += f"{cell:>24}"
        print(row)
    print()
    for name in [*names, "all", "all but chunk-v2"]:
        kept = [
            key for key in tally if name in (key[0], "all") or (name == "all but chunk-v2" and key[0] != "chunk-v2")
        ]
        right, cosmetic, refused, wrong = (sum(tally[key] for key in kept if key[2] == word) for word in words)
        ran, clear = sum(tally[key] for key in kept), right + cosmetic + refused + wrong
        wrong += sum(tally[key] for key in kept if key[2] == "wrong (no one reading)")
        if clear:
            print(
                f"{name:18} {ran:7} patches, {clear:6} with one reading: {100 * right / clear:6.2f} % right,"
                f" {100 * cosmetic / clear:6.2f} % cosmetic, {100 * refused / clear:6.2f} % refused; wrong in all {wrong}"
            )


if __name__ == "__main__":
    main()
