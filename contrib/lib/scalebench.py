"""One machine's end: pull, index, push and search at three sizes, and how their time grows with the messages."""

import contextlib
import dataclasses
import math
import os
import pathlib
import random
import shutil
import tempfile

from indexers import find_mirror_index
from indexbench import percentile
from mailserver import PASSWORD, Client, Dovecot
from measure import check_arithmetic, machine, median, table, timed
from pullbench import find_mirror, memory_disk
from samplemail import SampleMail
from scaleplot import plot
from searches import questions


@dataclasses.dataclass
class Sizes:
    counts: tuple = (62_500, 250_000, 1_000_000)
    accounts: int = 5
    boxes: int = 40  # of each account
    flags: int = 1000
    runs: int = 3


SMALL = Sizes(counts=(40, 80, 160), accounts=2, boxes=2, flags=8, runs=1)


def exponent(counts, values):
    """The slope of the line through the points on logarithmic axes: 1 where time grows as the messages do."""
    x, y = [math.log(count) for count in counts], [math.log(value) for value in values]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


@dataclasses.dataclass
class Curve:
    """One kind of work at each of the sizes, in seconds or, where it is memory, in KiB."""
    name: str
    is_memory: bool = False
    limit: float | None = None  # at every size
    flat: float | None = None  # at the end at most so many times the beginning; of time, each message's
    values: list = dataclasses.field(default_factory=list)

    def shown(self, value):
        if self.is_memory:
            return f"{value / 1024:.1f} MiB"
        return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.2f} s"

    def growth(self, counts):
        grown = self.values[-1] / self.values[0]
        return grown if self.is_memory else grown / (counts[-1] / counts[0])

    def holds(self, counts):
        if self.limit is not None:
            return max(self.values) <= self.limit
        return None if self.flat is None else self.growth(counts) <= self.flat

    def budget(self):
        if self.limit is not None:
            return f"≤ {self.limit / 1024:.0f} MiB" if self.is_memory else f"≤ {self.limit * 1000:.0f} ms"
        if self.flat is None:
            return ""
        return f"flat: ≤ {self.flat} ×" if self.is_memory else f"a message ≤ {self.flat} ×"


class TableLine:
    def __init__(self, curve, counts, judged):
        self.curve, self.counts, self.judged = curve, counts, judged

    def cells(self):
        curve = self.curve
        grown = "" if curve.is_memory else f"{exponent(self.counts, curve.values):.2f}"
        holds = curve.holds(self.counts) if self.judged else None
        return [curve.name, *map(curve.shown, curve.values), grown, curve.budget(),
                {None: "", True: "yes", False: "NO"}[holds]]


class ScaleBench:
    def __init__(self, mirror, index, server, place, sizes):
        self.mirror, self.index, self.server, self.sizes = mirror, index, server, sizes
        self.place = pathlib.Path(place)
        self.root = self.place / "mail"
        self.mail = SampleMail(seed=7, median=900, attachments=0)
        self.filled = 0
        self.settings = self.place / "config.toml"
        self.settings.write_text(f'root = "{self.root}"\n' + "".join(map(self.account, self.names())))
        self.settings.chmod(0o600)
        boxes = sizes.accounts * sizes.boxes
        self.first = Curve("first pull", flat=1.2)
        # Of so many accounts at once, each with its own connections and state: one account's is judged beside mbsync.
        self.first_peak = Curve("  its peak memory", is_memory=True, flat=1.25)
        self.indexed = Curve("index from nothing, by a pull", flat=1.2)
        self.indexed_peak = Curve("  its peak memory", is_memory=True, limit=96 << 10)
        self.idle = Curve(f"pull with nothing new in {boxes} mailboxes")
        self.pushed = Curve(f"push of {sizes.flags} flags over {boxes} mailboxes")
        self.updated = Curve("index update with nothing new")
        self.searched = Curve("search, first 50, p95 of its queries", limit=0.012)
        self.curves = [self.first, self.first_peak, self.indexed, self.indexed_peak, self.idle, self.pushed,
                       self.updated, self.searched]

    def names(self):
        return [f"scale{number}" for number in range(self.sizes.accounts)]

    def account(self, user):
        return (f'\n[accounts.{user}]\nemail = "{user}@localhost"\n\n[accounts.{user}.imap]\nhost = "localhost"\n'
                f'port = {self.server.port}\ntls = "none"\nuser = "{user}"\npassword = "{PASSWORD}"\n')

    def run(self, verb, *options):
        return timed([self.mirror, "--config", self.settings, verb, "-q", *options])

    def fill(self, count):
        """Up to `count` messages in all mailboxes together, as evenly as it goes."""
        boxes = self.sizes.accounts * self.sizes.boxes

        def share(total, place):
            return total * (place + 1) // boxes - total * place // boxes

        added = 0
        for place, user in enumerate(self.names()):
            client = Client(self.server.port, user)
            for number in range(self.sizes.boxes):
                if not self.filled:
                    client.create(f"Lists/box{number}")
                box = place * self.sizes.boxes + number
                more = share(count, box) - share(self.filled, box)
                client.append(f"Lists/box{number}", self.mail.run(more))
                added += more
        self.filled += added
        assert self.filled == count, (self.filled, count)
        print(f"  {count} messages on the server", flush=True)

    def files(self):
        return sum(len(names) for path, _, names in os.walk(self.root) if path.endswith(("/cur", "/new")))

    def measure(self, count):
        self.fill(count)
        shutil.rmtree(self.root, ignore_errors=True)
        first = self.run("pull", "--no-index")
        assert self.files() == count, (self.files(), count)
        self.first.values.append(first.seconds)
        self.first_peak.values.append(first.peak)
        idle = median([self.run("pull", "--no-index").seconds for _ in range(self.sizes.runs)])
        self.idle.values.append(idle)
        indexed = self.run("pull")
        self.indexed.values.append(indexed.seconds - idle)
        self.indexed_peak.values.append(indexed.peak)
        self.updated.values.append(median([self.update() for _ in range(self.sizes.runs + 2)][2:]))
        self.pushed.values.append(median([self.push(wanted) for wanted in [True, False] * self.sizes.runs]))
        self.searched.values.append(self.search())
        for curve in self.curves:
            print(f"  {count} messages, {curve.name.strip()}: {curve.shown(curve.values[-1])}", flush=True)

    def update(self):
        return timed([self.index, "update", "--root", self.root, "-q"]).seconds

    def push(self, wanted):
        """Sets or takes away F in each mailbox, as a mail reader does: by renaming."""
        each = self.sizes.flags // (self.sizes.accounts * self.sizes.boxes)
        for user in self.names():
            for number in range(self.sizes.boxes):
                cur = self.root / user / f"Lists/box{number}" / "cur"
                names = sorted(name for name in os.listdir(cur) if ("F" in name.partition(":2,")[2]) != wanted)
                chosen = random.Random(number).sample(names, each)
                for name in chosen:
                    base, _, flags = name.partition(":2,")
                    flags = set(flags) | {"F"} if wanted else set(flags) - {"F"}
                    os.rename(cur / name, cur / f"{base}:2,{''.join(sorted(flags))}")
        return self.run("push").seconds

    def search(self):
        wanted = [question.mirror for question in questions(self.mail, None) if "folder:" not in question.mirror]
        wanted.append(f"folder:{self.names()[0]}/Lists/box1")
        taken = []
        for query in wanted:
            command = [self.index, "search", "--root", self.root, "--limit", "50", "--", query]
            timed(command, expect=(0, 1))
            taken.append(median([timed(command, expect=(0, 1)).seconds for _ in range(3 * self.sizes.runs)]))
        return percentile(taken, 0.95)


def check_own_arithmetic():
    assert abs(exponent((10, 100, 1000), (2, 20, 200)) - 1) < 1e-9
    assert abs(exponent((10, 100, 1000), (5, 5, 5))) < 1e-9
    curve = Curve("c", flat=1.2, values=[1, 2, 4.9])
    assert curve.holds((10, 20, 40)) is False and curve.growth((10, 20, 49)) == 1
    assert Curve("m", is_memory=True, flat=1.25, values=[8, 9]).holds((1, 100)) is True
    assert Curve("m", is_memory=True, limit=10, values=[9, 11]).holds((1, 2)) is False


def run(here, options):
    check_arithmetic()
    check_own_arithmetic()
    mirror, index = find_mirror(here), find_mirror_index(here)
    sizes = SMALL if options.small else Sizes()
    if options.many:
        sizes = dataclasses.replace(sizes, counts=(options.many // 16, options.many // 4, options.many))
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(tempfile.TemporaryDirectory(prefix="mirror-bench-", dir=memory_disk()))
        stored = stack.enter_context(tempfile.TemporaryDirectory(prefix="mirror-bench-", dir="/var/tmp"))
        os.chmod(stored, 0o755)
        bench = ScaleBench(mirror, index, stack.enter_context(Dovecot(stored)), place, sizes)
        for count in sizes.counts:
            bench.measure(count)
        lines = [TableLine(curve, sizes.counts, not options.small) for curve in bench.curves]
        heads = ("", *(f"{count:,}" for count in sizes.counts), "exponent", "budget", "kept")
        text = (f"{machine(mirror)}\n{sizes.accounts} accounts of {sizes.boxes} mailboxes, Dovecot on loopback, tree on "
                f"tmpfs; medians of {sizes.runs} runs but for what is done from nothing\n\n" + table(lines, heads) + "\n")
    print("\n" + text)
    if options.small or options.many:
        return 0
    (here / "results").mkdir(exist_ok=True)
    (here / "results/bench-scale.txt").write_text(text)
    (here / "results/scale.svg").write_text(
        plot([(curve.name, curve.values) for curve in bench.curves if not curve.is_memory], sizes.counts))
    return 1 if any(curve.holds(sizes.counts) is False for curve in bench.curves) else 0
