"""Pages of charts in one HTML file: bars as inline SVG, with their numbers; no scripts, nothing fetched. Pure.

bars("By format", [("unified", {"applied": 90, "refused": 10})], OUTCOME_COLORS)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

Row = tuple[str, Mapping[str, int]]  # a label, and the numbers that its bar shows side by side

# A series and its colour: one of the names in the style below.
OUTCOME_COLORS = {"applied": "good", "partial": "half", "proposed": "open", "refused": "bad"}

_STYLE = """
:root { color-scheme: light dark; --bg: #fff; --text: #1c2128; --dim: #57606a; --line: #dfe3e8; --track: #eef0f3;
  --good: #2c8a57; --half: #c98a00; --open: #5476cf; --bad: #c4443a; --plain: #5b7a99; }
@media (prefers-color-scheme: dark) { :root { --bg: #14171b; --text: #dde2e8; --dim: #9aa4af; --line: #30363d;
  --track: #20252b; --good: #4bb57c; --half: #d9a441; --open: #86a8f5; --bad: #e5786e; --plain: #8fb0cf; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; background: var(--bg); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.05rem; margin: 2.2rem 0 .2rem; }
p, .legend, .bars { margin: .3rem 0 .6rem; }
.dim { color: var(--dim); }
.lead { font-size: 1.1rem; }
.legend, .bars { list-style: none; padding: 0; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; color: var(--dim); }
.legend svg { width: .8rem; height: .8rem; margin-right: .4rem; vertical-align: -.05rem; }
.bars li { display: grid; grid-template-columns: 12rem minmax(0, 1fr) 17rem; gap: 0 1rem; align-items: center;
  padding: .3rem 0; border-bottom: 1px solid var(--line); }
.bars svg { display: block; width: 100%; height: 1rem; background: var(--track); border-radius: 3px; }
.label { overflow-wrap: anywhere; }
.numbers { color: var(--dim); font-variant-numeric: tabular-nums; }
.note { grid-column: 1 / -1; color: var(--dim); font-size: .9em; overflow-wrap: anywhere; }
.good { fill: var(--good); } .half { fill: var(--half); } .open { fill: var(--open); } .bad { fill: var(--bad); }
.plain { fill: var(--plain); }
@media (max-width: 44rem) { .bars li { display: flex; flex-wrap: wrap; }
  .label { flex: 1 0 auto; max-width: 100%; }
  .bars svg, .note { order: 1; flex-basis: 100%; } }
"""


def page(title: str, lead: Sequence[str], charts: Iterable[str]) -> str:
    """Return a whole HTML document: the title, the first lines of text, the charts."""
    first = "".join(f'<p class="{"dim" if row else "lead"}">{escape(line)}</p>\n' for row, line in enumerate(lead))
    # Nothing can be fetched or run, whatever the numbers are called.
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n"
        f"<main>\n<h1>{escape(title)}</h1>\n{first}{''.join(charts)}</main>\n</html>\n"
    )


def bars(
    title: str,
    rows: Sequence[Row],
    colors: Mapping[str, str],
    *,
    shares: bool = False,
    about: str = "",
    notes: Mapping[str, str] | None = None,
) -> str:
    """Return a chart: for each row a bar with a part for each series, and the numbers beside it.

    With `shares` every bar is as long as the chart, otherwise as long as its row is large. `notes`: a line below the
    bar with that label. "" if there are no rows.
    """
    if not rows:
        return ""
    largest = max(sum(numbers.values()) for _, numbers in rows)
    used = {name: color for name, color in colors.items() if any(numbers.get(name) for _, numbers in rows)}
    keys = "".join(f"<li>{_key(color)}{escape(name)}</li>" for name, color in used.items()) if len(used) > 1 else ""
    items = "".join(_item(row, used, 0 if shares else largest, (notes or {}).get(row[0], "")) for row in rows)
    intro = f'<p class="dim">{escape(about)}</p>\n' if about else ""
    legend = f'<ul class="legend">{keys}</ul>\n' if keys else ""
    return f'<section>\n<h2>{escape(title)}</h2>\n{intro}{legend}<ul class="bars">\n{items}</ul>\n</section>\n'


def _item(row: Row, colors: Mapping[str, str], whole: int, note: str) -> str:
    """Return one row of a chart. `whole`: the number whose bar is as long as the chart; 0 for the row's own total."""
    label, numbers = row
    counts = ", ".join(f"{numbers[name]:,} {name}" for name in colors if numbers.get(name))
    text = escape(counts if len(colors) > 1 else f"{sum(numbers.values()):,}")
    bar = _bar(f"{escape(label)}: {text}", numbers, colors, whole or sum(numbers.values()) or 1)
    below = f'<span class="note">{escape(note)}</span>' if note else ""
    return f'<li><span class="label">{escape(label)}</span>{bar}<span class="numbers">{text}</span>{below}</li>\n'


def _key(color: str) -> str:
    return f'<svg viewBox="0 0 1 1" aria-hidden="true"><rect class="{color}" width="1" height="1"/></svg>'


def _bar(label: str, numbers: Mapping[str, int], colors: Mapping[str, str], whole: int) -> str:
    """Return the SVG of one bar, in units of a thousandth of the chart's width."""
    parts, x = [], 0.0
    for name, color in colors.items():
        if number := numbers.get(name, 0):
            width = 1000 * number / whole
            hint = f"<title>{escape(f'{number:,} {name}')}</title>"
            parts.append(f'<rect class="{color}" x="{x:.1f}" width="{max(width, 2):.1f}" height="10">{hint}</rect>')
            x += width
    svg = '<svg viewBox="0 0 1000 10" preserveAspectRatio="none" role="img"'
    return f'{svg} aria-label="{label}">{"".join(parts)}</svg>'
