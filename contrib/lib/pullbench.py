"""The pull rows of the budget table: mirror beside mbsync, on the same Dovecot, in the same run."""

import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from mailserver import PASSWORD, SPECIAL, Client, Dovecot, free_port, wait_for
from measure import Row, check_arithmetic, machine, median, ratio_of_pairs, table, timed
from samplemail import SampleMail

MEMORY_LIMIT = 48 << 10  # KiB


@dataclasses.dataclass
class Sizes:
    first: int = 20_000
    many: int = 250_000
    boxes: int = 35
    each: int = 100
    pairs: int = 3
    one_way: float = 25  # milliseconds


SMALL = Sizes(first=200, many=400, boxes=5, each=4, pairs=1, one_way=5)


class Bench:
    peer = "mbsync"

    def __init__(self, mirror, server, sizes, wanted):
        self.mirror, self.server, self.sizes, self.wanted = mirror, server, sizes, wanted
        self.rows = []

    # Both programs on the same account.

    def peer_command(self, user, tree, port, tls):
        place = pathlib.Path(tree)
        (place / "mail").mkdir(parents=True, exist_ok=True)
        security = (f"SSLType IMAPS\nCertificateFile {self.server.authority}" if tls else "SSLType None")
        settings = place / "mbsyncrc"
        settings.write_text(f"""IMAPAccount a
Host localhost
Port {port}
User {user}
Pass {PASSWORD}
{security}
AuthMechs {"PLAIN" if tls else "LOGIN"}

IMAPStore far
Account a

MaildirStore near
Path {place}/mail/
Inbox {place}/mail/INBOX
SubFolders Verbatim

Channel c
Far :far:
Near :near:
Patterns *
Create Near
Expunge Near
Sync Pull
CopyArrivalDate yes
SyncState *
""")
        return ["mbsync", "-q", "-c", settings, "-a"]

    def mirror_command(self, user, tree, port, tls):
        place = pathlib.Path(tree)
        place.mkdir(parents=True, exist_ok=True)
        settings = place / "config.toml"
        security = (f'tls = "implicit"\nca-file = "{self.server.authority}"' if tls else 'tls = "none"')
        settings.write_text(f"""root = "{place}/mail"

[accounts.a]
email = "{user}@localhost"

[accounts.a.imap]
host = "localhost"
port = {port}
{security}
user = "{user}"
password = "{PASSWORD}"
""")
        settings.chmod(0o600)
        return [self.mirror, "--config", settings, "pull", "--no-index", "-q"]

    @staticmethod
    def files(tree):
        return sum(len(names) for path, _, names in os.walk(pathlib.Path(tree) / "mail")
                   if path.endswith(("/cur", "/new")))

    def forget(self, program, tree):
        """As before the first pull."""
        shutil.rmtree(f"{tree}/mail", ignore_errors=True)
        if program == self.peer:
            os.makedirs(f"{tree}/mail")

    def set_aside(self, program, tree):
        """The same, and nothing is removed: for a while ext4 gives no inode anew that it has freed, and looks through all
        of them at each new file, which takes several times as long as the rest."""
        if os.path.exists(f"{tree}/mail"):
            os.rename(f"{tree}/mail", tempfile.mkdtemp(prefix="before", dir=tree) + "/mail")
        self.forget(program, tree)

    def port(self, tls):
        return self.server.tls_port if tls else self.server.port

    # One row: A B A B, each pair under the same conditions.

    def pairs(self, name, commands, prepare, check, budget, processor_budget=None):
        """`commands` and `prepare` by program; `check` looks at a tree after each run."""
        runs = {self.peer: [], "mirror": []}
        for _ in range(self.sizes.pairs):
            for program in runs:
                prepare(program)
                runs[program].append(timed(commands[program]))
                check(program)
        wall = {p: [run.seconds for run in runs[p]] for p in runs}
        self.compare(name, wall, budget)
        if processor_budget is not None:
            processor = {p: [max(run.processor, 0.01) for run in runs[p]] for p in runs}
            self.compare(f"{name}, CPU", processor, processor_budget)
        return runs

    def compare(self, name, seconds, budget):
        ratio = ratio_of_pairs(seconds["mirror"], seconds[self.peer])
        self.add(Row(name, f"{median(seconds[self.peer]):.2f} s", f"{median(seconds['mirror']):.2f} s",
                     f"{ratio:.2f}", *(() if budget is None else (f"≤ {budget} ×", ratio <= budget))))

    def add(self, row):
        if self.sizes == SMALL:
            row.holds = None  # so few messages say nothing about a budget
        self.rows.append(row)
        print("  " + "  ".join(cell for cell in row.cells() if cell), flush=True)

    def wants(self, name):
        return self.wanted in name

    def fill(self, user, mailbox, count, seed=1, **options):
        client = Client(self.server.port, user)
        with contextlib.suppress(RuntimeError):
            client.create(mailbox)
        if client.count(mailbox) != count:
            begun = time.perf_counter()
            total = client.append(mailbox, SampleMail(seed, **options).run(count))
            if count >= 1000:
                print(f"  filled {mailbox} of {user}: {count} messages, {total / 1e6:.0f} MB, "
                      f"{time.perf_counter() - begun:.0f} s", flush=True)

    # The rows.

    def first_pulls(self, place, where, tls, budget, processor_budget=None):
        name = f"first pull, {self.sizes.first} messages, {where}{', TLS' if tls else ''}"
        if not self.wants(name):
            return
        self.fill("first", "INBOX", self.sizes.first)
        trees = {p: f"{place}/{p}" for p in (self.peer, "mirror")}
        commands = self.commands(trees, "first", self.port(tls), tls)

        def prepare(program):
            self.set_aside(program, trees[program])
            os.sync()

        def check(program):
            assert self.files(trees[program]) == self.sizes.first, (program, self.files(trees[program]))

        self.pairs(name, commands, prepare, check, budget, processor_budget)
        if "synced" in where and self.peer == "mbsync":
            self.beside_copying(name, commands["mirror"], trees["mirror"], prepare)
        if "synced" not in where:  # what is freed on a disk slows the rows that follow; see set_aside
            for tree in trees.values():
                shutil.rmtree(tree, ignore_errors=True)

    def beside_copying(self, name, command, tree, prepare):
        """The floor of what lies on a disk: the same files copied, and one sync."""
        ours, floor = [], []
        for _ in range(self.sizes.pairs):
            prepare("mirror")
            ours.append(timed(command).seconds)
            copy = tempfile.mkdtemp(prefix="copy", dir=tree)
            os.sync()
            floor.append(timed(["sh", "-c", f"cp -r {tree}/mail {copy} && sync"]).seconds)
        ratio = ratio_of_pairs(ours, floor)
        self.add(Row(f"{name}, beside cp and sync", f"{median(floor):.2f} s", f"{median(ours):.2f} s", f"{ratio:.2f}",
                     "≤ 1.2 ×", ratio <= 1.2))

    def commands(self, trees, user, port, tls):
        return {self.peer: self.peer_command(user, trees[self.peer], port, tls),
                "mirror": self.mirror_command(user, trees["mirror"], port, tls)}

    def latency(self, place, tls, first_budget=0.2, later_budget=0.05):
        end = ", TLS" if tls else ""
        milliseconds = 2 * self.sizes.one_way
        names = [f"first pull, {self.sizes.boxes} mailboxes × {self.sizes.each}, {milliseconds:.0f} ms{end}",
                 f"no-op pull, {self.sizes.boxes} mailboxes, {milliseconds:.0f} ms{end}"]
        if not any(map(self.wants, names)):
            return
        # INBOX and five more are there from the start; the others make up the number.
        for number in range(self.sizes.boxes):
            mailbox = ("INBOX", *SPECIAL)[number] if number <= len(SPECIAL) else f"Lists/box{number}"
            self.fill("far", mailbox, self.sizes.each, seed=number)
        trees = {p: f"{place}/far-{p}" for p in (self.peer, "mirror")}
        with self.wire(self.port(tls)) as port:
            commands = self.commands(trees, "far", port, tls)

            def prepare(program):
                self.forget(program, trees[program])

            def check(program):
                found = self.files(trees[program])
                assert found == self.sizes.boxes * self.sizes.each, (program, found)

            self.pairs(names[0], commands, prepare, check, first_budget)
            self.pairs(names[1], commands, lambda _: None, check, later_budget)
        if self.peer == "mbsync":
            self.waiting(trees["mirror"], tls, end)
            self.round_trips(trees, tls)
        for tree in trees.values():
            shutil.rmtree(tree, ignore_errors=True)

    def waiting(self, tree, tls, end):
        """Round trips that a first pull waits for, whatever goes on beside: by what latency adds to its time."""
        taken = {}
        for one_way in (0, self.sizes.one_way):
            with self.wire(self.port(tls), one_way=one_way) as port:
                command = self.mirror_command("far", tree, port, tls)
                runs = []
                for _ in range(self.sizes.pairs):
                    self.forget("mirror", tree)
                    runs.append(timed(command).seconds)
                taken[one_way] = median(runs)
        count = (taken[self.sizes.one_way] - taken[0]) * 1000 / (2 * self.sizes.one_way)
        self.add(Row(f"round trips that a first pull waits for, {self.sizes.boxes} mailboxes × {self.sizes.each}{end}", "",
                     f"{count:.1f}", "", "≤ 12", count <= 12))

    def round_trips(self, trees, tls):
        """Of a no-op pull, log-in and farewell included; TLS's own are left out."""
        most = {program: 0 for program in trees}
        for number in range(self.sizes.pairs):
            for program, tree in trees.items():
                count = pathlib.Path(f"{tree}/turns{number}")
                with self.wire(self.port(tls), count) as port:
                    timed(self.commands(trees, "far", port, tls)[program])
                    most[program] = max(most[program], self.turns(count, tls))
        self.add(Row(f"round trips of a no-op pull, {self.sizes.boxes} mailboxes{', TLS' if tls else ''}",
                     str(most["mbsync"]), str(most["mirror"]), "", "≤ 3", most["mirror"] <= 3))

    def turns(self, count, tls):
        """What the proxy noted, of all connections of one run."""
        end = time.monotonic() + 5
        # One line is that of the connection that asked whether the proxy is there.
        while not count.exists() or count.read_text().count("\n") < 2:
            assert time.monotonic() < end, "the proxy did not say what went over it"
            time.sleep(0.05)
        time.sleep(4 * self.sizes.one_way / 1000)  # perhaps there were more connections
        turns = [int(line.split()[2]) for line in count.read_text().splitlines()]
        assert any(turns), turns
        # The client ends the handshake of TLS 1.3 with a flight of its own, and then awaits the greeting.
        return sum(turn - tls for turn in turns if turn > 0)

    @contextlib.contextmanager
    def wire(self, target, count=None, one_way=None):
        """A port behind latency (milliseconds); `count` is a file for what went over it, see wire.py."""
        one_way = self.sizes.one_way if one_way is None else one_way
        port = free_port()
        script = pathlib.Path(__file__).with_name("wire.py")
        process = subprocess.Popen(
            [sys.executable, script, str(port), str(target), str(one_way), *([count] if count else [])],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            wait_for(port, "the latency proxy")
            yield port
        finally:
            process.terminate()
            process.wait()

    def many_messages(self, place, tls):
        """Memory of first and no-op pulls by mailbox size, and the time of the largest no-op."""
        end = ", TLS" if tls else ""
        name = f"messages in one mailbox{end}"
        if not (self.wants(name) or self.wants("peak memory")):
            return
        peaks = {}
        for count in (self.sizes.first, self.sizes.many):
            user = f"many{count}"
            self.fill(user, "INBOX", count, seed=3, median=900, attachments=0)
            tree = f"{place}/{user}"
            command = self.mirror_command(user, tree, self.port(tls), tls)
            first = timed(command)
            assert self.files(tree) == count
            noops = [timed(command) for _ in range(max(3, self.sizes.pairs))]
            peaks[count] = (first.peak, max(run.peak for run in noops))
            for kind, peak in zip(("first", "no-op"), peaks[count]):
                self.add(Row(f"peak memory, {kind} pull, {count} {name}", "", f"{peak / 1024:.1f} MiB", "",
                             "≤ 48 MiB", peak <= MEMORY_LIMIT))
            if count == self.sizes.many:
                seconds = median([run.seconds for run in noops])
                self.add(Row(f"no-op pull, {count} {name}", "", f"{seconds:.3f} s", "", "≤ 0.1 s", seconds <= 0.1))
                self.add(Row(f"first pull, {count} {name}", "", f"{first.seconds:.1f} s"))
            shutil.rmtree(tree, ignore_errors=True)
        small, large = (peaks[count] for count in (self.sizes.first, self.sizes.many))
        growth = max(large[0] / small[0], large[1] / small[1])
        self.add(Row(f"peak memory, {self.sizes.first} to {self.sizes.many}{end}", "", "", f"{growth:.2f}",
                     "flat: ≤ 1.25 ×", growth <= 1.25))


def find_mirror(here):
    if "MIRROR_BIN" in os.environ:
        return os.environ["MIRROR_BIN"]
    top = here.parent
    subprocess.run(["swift", "build", "-c", "release", "--product", "mirror"], cwd=top, check=True,
                   stdout=subprocess.DEVNULL)
    path = subprocess.run(["swift", "build", "-c", "release", "--show-bin-path"], cwd=top, check=True,
                          capture_output=True, text=True).stdout.strip()
    return f"{path}/mirror"


def chosen_sizes(options, usual=Sizes(), small=SMALL):
    sizes = dataclasses.replace(small if options.small else usual)
    if options.pairs:
        sizes.pairs = options.pairs
    return sizes


def memory_disk():
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()


def run(here, options):
    check_arithmetic()
    mirror = find_mirror(here)
    sizes = chosen_sizes(options)
    with contextlib.ExitStack() as stack:
        fast = stack.enter_context(tempfile.TemporaryDirectory(prefix="mirror-bench-", dir=memory_disk()))
        disk = stack.enter_context(tempfile.TemporaryDirectory(prefix="mirror-bench-", dir="/var/tmp"))
        stored = stack.enter_context(tempfile.TemporaryDirectory(prefix="mirror-bench-", dir="/var/tmp"))
        for place in (fast, disk, stored):
            os.chmod(place, 0o755)
        server = stack.enter_context(Dovecot(stored))
        bench = Bench(mirror, server, sizes, options.rows)
        for tls in (False, True):
            bench.first_pulls(fast, "tmpfs", tls, 0.15, 0.4)
            bench.first_pulls(disk, "disk, synced", tls, 0.25)
            bench.latency(fast, tls)
        for tls in (False, True):
            bench.many_messages(fast, tls)
        rows = bench.rows
        text = f"{machine(mirror)}\nmedians of {sizes.pairs} pairs A B A B; ratios are medians of each pair's\n\n" \
            + table(rows) + "\n"
    print("\n" + text)
    if not options.small and not options.rows:
        (here / "results").mkdir(exist_ok=True)
        (here / "results/bench-pull.txt").write_text(text)
    if options.small:
        print(f"{len(rows)} rows measured, arithmetic checked; with so few messages no budget is judged")
        return 0 if rows or options.rows else 1
    missed = [row.name for row in rows if row.holds is False]
    if missed:
        print("over budget: " + "; ".join(missed))
    return 1 if missed else 0
