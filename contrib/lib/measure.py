"""Runs programs and reads what they took; medians of pairs; the table."""

import dataclasses
import datetime
import pathlib
import platform
import statistics
import subprocess
import tempfile
import time


@dataclasses.dataclass
class Run:
    seconds: float
    processor: float  # user and system
    peak: int  # KiB


def timed(command, expect=(0,), **options):
    """One run. `time` stands between, because a child's own peak begins with what its parent held."""
    with tempfile.NamedTemporaryFile("r") as report, tempfile.TemporaryFile() as said:
        begun = time.perf_counter()
        status = subprocess.run(
            ["/usr/bin/time", "-o", report.name, "-f", "%U %S %M", *map(str, command)],
            stdin=subprocess.DEVNULL, stdout=said, stderr=said, **options).returncode
        seconds = time.perf_counter() - begun
        if status not in expect:
            said.seek(0)
            text = said.read().decode(errors="replace")[-2000:]
            raise RuntimeError(f"{command[0]} ended with {status}:\n{text}")
        user, system, peak = report.read().split("\n")[-2].split()
    return Run(seconds, float(user) + float(system), int(peak))


def median(values):
    return statistics.median(values)


def ratio_of_pairs(ours, theirs):
    """The median of each pair's ratio: what slows both down at one moment cancels out."""
    return median([a / b for a, b in zip(ours, theirs, strict=True)])


@dataclasses.dataclass
class Row:
    name: str
    peer: str
    mirror: str
    ratio: str = ""
    budget: str = ""
    holds: bool | None = None

    def cells(self):
        return [self.name, self.peer, self.mirror, self.ratio, self.budget,
                {None: "", True: "yes", False: "NO"}[self.holds]]


def table(rows, heads=("", "mbsync", "mirror", "ratio", "budget", "kept")):
    lines = [list(heads)] + [row.cells() for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    return "\n".join(
        "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                  for column, (cell, width) in enumerate(zip(line, widths))).rstrip()
        for line in lines)


def machine(mirror, others=(("mbsync", "--version"), ("dovecot", "--version"))):
    """Where and with what a table was measured."""
    cpu = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())
    cores = len([line for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                 if line.startswith("processor")])
    memory = int(pathlib.Path("/proc/meminfo").read_text().split()[1]) // (1 << 20)

    def version(*command):
        out = subprocess.run(command, capture_output=True, text=True)
        line = (out.stdout or out.stderr).strip().splitlines()[0]
        return line if not line[:1].isdigit() else f"{pathlib.Path(command[0]).name} {line.split(' 20')[0]}"

    stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    return (f"{stamp}, {cpu}, {cores} cores, {memory} GiB, Linux {platform.release()}\n"
            + "; ".join(version(*command) for command in ((mirror, "--version"), *others)))


def check_arithmetic():
    """Known figures through the same functions."""
    assert median([3, 1, 2]) == 2 and median([4, 1, 2, 3]) == 2.5
    assert ratio_of_pairs([1, 2, 30], [2, 4, 10]) == 0.5
    rows = [Row("a", "1.00 s", "0.50 s", "0.50", "≤ 0.7", True), Row("bb", "", "2", holds=False)]
    text = table(rows).splitlines()
    assert len(text) == 3 and text[1].endswith("yes") and text[2].endswith("NO"), text
    run = timed(["sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; sleep 0.2"])
    assert 0.2 < run.seconds < 20 and 0 < run.processor < run.seconds, run
    assert 500 < run.peak < 100_000, run
    try:
        timed(["false"])
    except RuntimeError:
        pass
    else:
        raise AssertionError("a failed run must not count")
