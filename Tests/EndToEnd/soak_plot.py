#!/usr/bin/python3
"""Draws what soak.py --save has kept: memory, descriptors and files over the time, as SVG.

    soak_plot.py SOAK.csv > soak.svg

Each panel begins at zero: what is flat looks flat, and what grows is not made to look large.
"""

import csv
import sys

WIDTH, PANEL, LEFT, RIGHT, TOP, GAP = 760, 130, 76, 16, 34, 46
#: Points of a line; each is the largest of its part of the time.
POINTS = 360
MIB = 2 ** 20
#: Title, unit, and the lines: what each is called, its colour, and its value in the unit.
PANELS = [
    ("Memory", "MiB", [("resident", "#7a8699", lambda row: row["resident"] / MIB),
                       ("no page of a file", "#1668c7", lambda row: row["anonymous"] / MIB)]),
    ("Files", "MiB", [("database", "#1668c7", lambda row: row["database"] / MIB),
                      ("its log", "#c2571a", lambda row: row["log"] / MIB)]),
    ("Open descriptors", "", [("descriptors", "#1668c7", lambda row: row["descriptors"])]),
    ("Operations a second", "", [("operations", "#1668c7", lambda row: row["rate"])]),
]


def read(path):
    """Its rows, each with the rate since the one before."""
    with open(path, encoding="ascii", newline="") as file:
        rows = [{name: float(text) for name, text in row.items()} for row in csv.DictReader(file)]
    before = {"seconds": 0.0, "operations": 0.0}
    for row in rows:
        spent = max(row["seconds"] - before["seconds"], 0.001)
        row["rate"] = (row["operations"] - before["operations"]) / spent
        before = row
    return rows


def line(rows, value, largest, top):
    """The points of a polyline."""
    end = rows[-1]["seconds"]
    step = max(1, len(rows) // POINTS)
    points = []
    for start in range(0, len(rows), step):
        part = rows[start:start + step]
        x = LEFT + (WIDTH - LEFT - RIGHT) * part[-1]["seconds"] / end
        y = top + PANEL * (1 - max(map(value, part)) / largest)
        points.append(f"{x:.1f},{y:.1f}")
    return " ".join(points)


def panel(rows, top, title, unit, lines):
    largest = 1.1 * max(value(row) for row in rows for _, _, value in lines) or 1
    yield f'<text x="{LEFT}" y="{top - 10}" class="title">{title}</text>'
    for share in (0, 0.5, 1):
        y = top + PANEL * (1 - share)
        yield (f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" class="grid"/>'
               f'<text x="{LEFT - 8}" y="{y + 4:.1f}" class="tick">'
               f"{share * largest:.0f} {unit}</text>")
    for number, (name, colour, value) in enumerate(lines):
        yield (f'<polyline points="{line(rows, value, largest, top)}" fill="none" '
               f'stroke="{colour}" stroke-width="1.5"/>'
               f'<text x="{WIDTH - RIGHT - 150 * number}" y="{top - 10}" class="tick" '
               f'style="fill:{colour}">{name}</text>')


def draw(rows):
    height = TOP + len(PANELS) * (PANEL + GAP)
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
           f'width="{WIDTH}" height="{height}">'
           "<style>text{font:12px sans-serif;fill:#3b4350}.title{font-weight:600}"
           ".tick{text-anchor:end}.grid{stroke:#d9dee6}</style>"
           f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>')
    for number, (title, unit, lines) in enumerate(PANELS):
        yield from panel(rows, TOP + number * (PANEL + GAP), title, unit, lines)
    minutes = rows[-1]["seconds"] / 60
    y = height - GAP + 18
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = LEFT + (WIDTH - LEFT - RIGHT) * share
        yield (f'<text x="{x:.0f}" y="{y}" text-anchor="middle">{share * minutes:.0f} min'
               "</text>")
    yield "</svg>"


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip())
        sys.exit(2)
    rows = read(sys.argv[1])
    if len(rows) < 2:
        sys.exit(f"{sys.argv[1]} has no figures.")
    print("\n".join(draw(rows)))


if __name__ == "__main__":
    main()
