#!/usr/bin/env python3
"""Bar charts as SVG, from numbers that stand on a page. Standard library only.

    tools/page_picture.py   draws docs/pictures/benchmark.svg, whose page is written by hand

`tools/summary_page.py` draws those of the generated pages. The same numbers give the same bytes.
"""
import html
import math
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLORS = ["#2f6db3", "#c9772b", "#8a8a8a"]
LABELS, BARS, VALUES, ROW, TOP = 250, 400, 110, 16, 44


def nice_maximum(largest):
    """The least of 1, 2, 2.5 and 5 times a power of ten that is not below `largest`."""
    if largest <= 0:
        return 1.0
    power = 10 ** math.floor(math.log10(largest))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if largest <= step * power * (1 + 1e-9))


def bars(name, title, groups, series, maximum=None, reference=None):
    """Writes docs/pictures/<name>.svg.

    groups: (label, values), a value is a number or None, one for each of `series`, the names of the colours ([""]: no legend).
    reference: a vertical line, (value, name); nil: none.
    """
    values = [value for _, row in groups for value in row if value is not None]
    maximum = maximum or nice_maximum(max(values, default=1))
    height = TOP + sum(ROW * len(row) + 8 for _, row in groups) + (24 if reference else 8)
    width = LABELS + BARS + VALUES

    def x(value):
        return LABELS + BARS * min(max(value, 0), maximum) / maximum

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12" fill="#222">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="8" y="18" font-size="13" font-weight="bold">{html.escape(title)}</text>',
    ]
    if len(series) > 1:
        for number, text in enumerate(series):
            out.append(f'<rect x="{LABELS + 160 * number}" y="26" width="10" height="10" fill="{COLORS[number]}"/>')
            out.append(f'<text x="{LABELS + 160 * number + 14}" y="35">{html.escape(text)}</text>')
    y = TOP
    for label, row in groups:
        middle = y + ROW * len(row) / 2 + 4
        out.append(f'<text x="{LABELS - 8}" y="{middle:g}" text-anchor="end">{html.escape(label)}</text>')
        for number, value in enumerate(row):
            if value is not None:
                length = x(value) - LABELS
                out.append(f'<rect x="{LABELS}" y="{y + 2}" width="{length:.1f}" height="{ROW - 4}" fill="{COLORS[number]}"/>')
            text = "none" if value is None else f"{value:g}"
            out.append(f'<text x="{(LABELS if value is None else x(value)) + 5:.1f}" y="{y + ROW - 4}">{text}</text>')
            y += ROW
        y += 8
    if reference:
        line, text = reference
        out.append(f'<line x1="{x(line):.1f}" y1="{TOP - 4}" x2="{x(line):.1f}" y2="{y}" stroke="#222" stroke-dasharray="3 3"/>')
        out.append(f'<text x="{x(line):.1f}" y="{y + 14}" text-anchor="middle">{html.escape(text)}</text>')
    out.append("</svg>")
    path = ROOT / "docs" / "pictures" / f"{name}.svg"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(out) + "\n")


def benchmark():
    """Time of a frame by stage, from the printed table of docs/benchmark.md."""
    text = (ROOT / "docs" / "benchmark.md").read_text()
    rows = dict(re.findall(r"^  (\w+) +\d+ +([\d.]+) %", text, re.M))
    stages = ["update", "screening", "gates", "linearisation", "visualUpdate", "compression", "start", "propagation", "marginalisation"]
    stages += ["readout", "hypotheses", "reading", "writing"]
    groups = sorted(((stage, [float(rows[stage])]) for stage in stages), key=lambda group: -group[1][0])
    bars("benchmark", "Share of the processor time by stage, % (hh_walk)", groups, [""])


if __name__ == "__main__":
    benchmark()
