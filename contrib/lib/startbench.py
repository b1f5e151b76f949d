"""The start rows: what it costs to begin and end, beside notmuch, and how large the programs are."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from measure import Row, check_arithmetic, machine, median, ratio_of_pairs, table
from pullbench import find_mirror

MIB = 1 << 20


def seconds(command):
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def stripped_size(program):
    with tempfile.TemporaryDirectory(prefix="startbench-") as place:
        copy = pathlib.Path(place) / "program"
        subprocess.run(["strip", "-o", str(copy), program], check=True)
        return copy.stat().st_size


def start_row(program, notmuch, tries):
    ours, theirs = [], []
    for _ in range(tries):
        theirs.append(seconds([notmuch, "--version"]))
        ours.append(seconds([program, "--version"]))
    ratio = ratio_of_pairs(ours, theirs)
    name = pathlib.Path(program).name
    return Row(f"{name} --version", f"{median(theirs) * 1000:.1f} ms", f"{median(ours) * 1000:.1f} ms",
               f"{ratio:.2f}", "≤ 1.5 ×", ratio <= 1.5)


def size_row(program, budget):
    size = stripped_size(program) / MIB
    return Row(f"{pathlib.Path(program).name}, stripped", "", f"{size:.1f} MiB", "",
               f"≤ {budget} MiB" if budget else "", size <= budget if budget else None)


def run(here, options):
    check_arithmetic()
    mirror = find_mirror(here)
    notmuch = shutil.which("notmuch") or sys.exit("contrib/bench: start needs notmuch")
    tries = 3 if options.small else 60
    programs = [mirror] + [str(path) for path in [pathlib.Path(mirror).parent / "mirror-index"] if path.exists()]
    rows = [start_row(program, notmuch, tries) for program in programs]
    rows += [size_row(mirror, 40)] + [size_row(program, None) for program in programs[1:]]
    text = "\n".join([machine(mirror, others=((notmuch, "--version"),)), f"medians of {tries} pairs A B A B", "",
                      table(rows, heads=("", "notmuch", "mirror", "ratio", "budget", "kept"))])
    print(text)
    if options.small:
        return 0
    (here / "results" / "bench-start.txt").write_text(text + "\n")
    return 0 if all(row.holds is not False for row in rows) else 1
