#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A notebook as a script: where the run time of a trace goes, in two pictures.

    notebook.py TRACE [FOLDER]

writes path.svg (the critical path by callsite) and ranks.svg (computation, waiting, other MPI time of each rank) into FOLDER
(default: .), with matplotlib if it is there, else with gnuplot."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("../python", "../../../mpgkit/python"):  # in the sources; installed: share/doc/mpgkit/examples
    sys.path.append(os.path.join(HERE, folder))
import mpgkit  # noqa: E402

try:
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
except ImportError:
    pyplot = None


def bars(path, title, labels, parts):
    """Draws a stacked bar for each of LABELS into PATH. PARTS: name -> values in ms, one a label."""
    if pyplot:
        figure, axes = pyplot.subplots(figsize=(8, 1 + 0.4 * len(labels)), layout="constrained")
        left = [0] * len(labels)
        for name, values in parts.items():
            axes.barh(labels, values, left=left, label=name)
            left = [a + b for a, b in zip(left, values)]
        axes.invert_yaxis()
        axes.set(title=title, xlabel="ms")
        axes.legend(loc="lower right")
        figure.savefig(path)
        return
    text = [label.replace("\\", "\\\\").replace('"', "'").replace("_", "\\\\_") for label in labels]
    ticks = ", ".join(f'"{label}" {i}' for i, label in enumerate(text))
    script = [f'set terminal svg size 900,{100 + 40 * len(labels)} dynamic', f'set output "{path}"', f'set title "{title}"',
              f'set xlabel "ms"; set ytics ({ticks}); set yrange [{len(labels) - 0.5}:-0.5]', "set key outside bottom",
              "set style fill solid; set xrange [0:*]", "$bars << END"]
    for i in range(len(labels)):
        left = 0
        row = []
        for values in parts.values():
            row += [left, left + values[i]]
            left += values[i]
        script.append(" ".join(map(str, [i, *row])))
    drawn = [f'"" using {2 + 2 * k}:1:{2 + 2 * k}:{3 + 2 * k}:($1-0.35):($1+0.35) with boxxyerror title "{name}"'
             for k, name in enumerate(parts)]
    script += ["END", "plot " + ", ".join(drawn).replace('""', "$bars", 1)]
    script[-1] = script[-1].replace('""', "$bars")
    subprocess.run([os.environ.get("MPGKIT_GNUPLOT", "gnuplot")], input="\n".join(script) + "\n", text=True, check=True)


def place(row):
    """The name of a row of the critical path: computation is before a call, all else in it."""
    words = [row["kind"].replace("_", " ")]
    if row["call"]:
        words += ["before" if row["kind"] == "computation" else "in", row["call"]]
    words += [site for site in row["callsite"] or [] if site != "unknown"]
    return " ".join(words) + (f" [{row['region']}]" if row["region"] else "")


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    trace, to = sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else "."

    path = mpgkit.critical_path(trace)
    print(f"run time {path.answer['run_ns'] / 1e6:.1f} ms; on its critical path:")
    print(path[:5])
    names = [place(row) for row in path[:8]]
    bars(os.path.join(to, "path.svg"), "Critical path", names, {"time": [row["time_ns"] / 1e6 for row in path[:8]]})

    waits = {row["rank"]: row for row in mpgkit.waits(trace, by="rank")}
    ranks = [row for row in mpgkit.stat(trace, by="rank") if row["rank"] in waits]
    bars(os.path.join(to, "ranks.svg"), "Time of each rank", [f"rank {row['rank']}" for row in ranks], {
        "outside MPI": [(row["run_ns"] - row["time_ns"]) / 1e6 for row in ranks],
        "waiting": [waits[row["rank"]]["wait_ns"] / 1e6 for row in ranks],
        "other MPI time": [(waits[row["rank"]]["time_ns"] - waits[row["rank"]]["wait_ns"]) / 1e6 for row in ranks]})


if __name__ == "__main__":
    try:
        main()
    except mpgkit.Error as error:
        sys.exit(str(error))
