"""The push rows: mirror beside mbsync on the same Dovecot, both with the same changes made to their trees."""

import contextlib
import dataclasses
import os
import pathlib
import shutil
import tempfile
import time

from mailserver import Client, Dovecot
from measure import Row, check_arithmetic, machine, median, table, timed
from pullbench import Bench, chosen_sizes, find_mirror, memory_disk


@dataclasses.dataclass
class Sizes:
    changes: int = 1000
    boxes: int = 10
    many: int = 250_000
    pairs: int = 3
    one_way: float = 25  # milliseconds


SMALL = Sizes(changes=20, boxes=2, many=300, pairs=1, one_way=5)


class PushBench(Bench):
    def peer_command(self, user, tree, port, tls):
        command = super().peer_command(user, tree, port, tls)
        settings = pathlib.Path(tree) / "mbsyncrc"
        settings.write_text(settings.read_text().replace("Sync Pull\n", "Sync All\n"))
        return command

    def push_command(self, pull):
        return [*pull[:3], "push", "-q"]

    def add(self, row):
        if self.sizes.changes == SMALL.changes:
            row.holds = None
        self.rows.append(row)
        print("  " + "  ".join(cell for cell in row.cells() if cell), flush=True)

    def box(self, number):
        return f"Lists/box{number}"

    def flag(self, tree, wanted):
        """Sets or takes away F, as a mail reader does: by renaming."""
        changed = 0
        for number in range(self.sizes.boxes):
            cur = pathlib.Path(tree) / "mail" / self.account(tree) / self.box(number) / "cur"
            new = cur.parent / "new"
            for directory in (cur, new):
                for name in sorted(os.listdir(directory)):
                    base, _, flags = name.partition(":2,")
                    flags = set(flags) | {"F"} if wanted else set(flags) - {"F"}
                    os.rename(directory / name, cur / f"{base}:2,{''.join(sorted(flags))}")
                    changed += 1
        assert changed == self.sizes.changes, changed

    @staticmethod
    def account(tree):
        return "a" if os.path.isdir(pathlib.Path(tree) / "mail/a") else ""

    def flagged(self, user):
        client = Client(self.server.port, user)
        count = 0
        for number in range(self.sizes.boxes):
            client.command(f'EXAMINE "{self.box(number)}"'.encode())
            found = client.command(b"UID SEARCH FLAGGED")
            count += sum(len(line.split()) - 2 for line in found if line.startswith(b"* SEARCH"))
        return count

    def flags(self, place):
        name = f"{self.sizes.changes} flags over {self.sizes.boxes} mailboxes, {2 * self.sizes.one_way:.0f} ms"
        if not self.wants(name):
            return
        for number in range(self.sizes.boxes):
            self.fill("flags", self.box(number), self.sizes.changes // self.sizes.boxes, seed=number)
        trees = {p: f"{place}/flags-{p}" for p in ("mbsync", "mirror")}
        os.makedirs(f"{trees['mbsync']}/mail")
        with self.wire(self.server.port) as port:
            commands = self.commands(trees, "flags", port, False)
            for command in commands.values():
                timed(command)
            pulls = dict(commands)
            commands["mirror"] = self.push_command(commands["mirror"])
            wall = {"mbsync": [], "mirror": []}
            wanted = True
            for _ in range(self.sizes.pairs):
                for program, other in (("mbsync", "mirror"), ("mirror", "mbsync")):
                    self.flag(trees[program], wanted)
                    wall[program].append(timed(commands[program]).seconds)
                    assert self.flagged("flags") == (self.sizes.changes if wanted else 0), program
                    timed(pulls[other])  # the other tree sees it, too
                    wanted = not wanted
            self.compare(name, wall, 0.1)
        for tree in trees.values():
            shutil.rmtree(tree, ignore_errors=True)

    def moves(self, place):
        """Moving costs no body bytes: what goes over the wire is told."""
        name = f"{self.sizes.changes} moves, {2 * self.sizes.one_way:.0f} ms"
        if not self.wants(name):
            return
        self.fill("moves", "Lists/from", self.sizes.changes, seed=5)
        self.fill("moves", "Lists/to", 0)
        tree, count = f"{place}/moves", f"{place}/moved-bytes"
        with self.wire(self.server.port, count) as port:
            pull = self.mirror_command("moves", tree, port, False)
            timed(pull)
            box = pathlib.Path(tree) / "mail/a/Lists"
            size = 0
            for part in ("cur", "new"):
                for name_ in os.listdir(box / "from" / part):
                    size += os.path.getsize(box / "from" / part / name_)
                    os.rename(box / "from" / part / name_, box / "to" / part / name_)
            before = len(self.connections(count, 1))
            run = timed(self.push_command(pull))
            lines = self.connections(count, before + 1)[before:]
        up = sum(int(line.split()[0]) for line in lines)
        down = sum(int(line.split()[1]) for line in lines)
        client = Client(self.server.port, "moves")
        assert client.count("Lists/to") == self.sizes.changes and client.count("Lists/from") == 0
        self.add(Row(name, "", f"{run.seconds:.2f} s"))
        self.add(Row(f"{self.sizes.changes} moves, bytes sent and received, of {size / 1e6:.1f} MB", "",
                     f"{up} + {down}", "", "no bodies: ≤ 100 a message", up + down <= 100 * self.sizes.changes))
        shutil.rmtree(tree, ignore_errors=True)

    @staticmethod
    def connections(count, wanted):
        """The proxy writes a connection's line once both sides have hung up: a moment after the program has ended."""
        lines, rest = [], time.monotonic()
        while len(lines) < wanted or time.monotonic() < rest + 0.5:
            assert time.monotonic() < rest + 10, f"{len(lines)} connections counted, not {wanted}"
            time.sleep(0.05)
            now = pathlib.Path(count).read_text().splitlines() if os.path.exists(count) else []
            if len(now) != len(lines):
                lines, rest = now, time.monotonic()
        return lines

    def idle(self, place):
        name = f"no-op push, {self.sizes.many} messages in one mailbox"
        if not self.wants(name):
            return
        self.fill("idle", "INBOX", self.sizes.many, seed=3, median=900, attachments=0)
        tree = f"{place}/idle"
        pull = self.mirror_command("idle", tree, self.server.port, False)
        timed(pull)
        push = self.push_command(pull)
        timed(push)
        runs = [timed(push) for _ in range(max(3, self.sizes.pairs))]
        seconds = median([run.seconds for run in runs])
        self.add(Row(name, "", f"{seconds:.3f} s", "", "≤ 0.5 s", seconds <= 0.5))
        full = timed([*push, "--full"])
        self.add(Row(f"the same with --full, peak {full.peak / 1024:.0f} MiB", "", f"{full.seconds:.2f} s"))
        shutil.rmtree(tree, ignore_errors=True)


def run(here, options):
    check_arithmetic()
    mirror = find_mirror(here)
    sizes = chosen_sizes(options, Sizes(), SMALL)
    with contextlib.ExitStack() as stack:
        fast = stack.enter_context(tempfile.TemporaryDirectory(prefix="mirror-bench-", dir=memory_disk()))
        stored = stack.enter_context(tempfile.TemporaryDirectory(prefix="mirror-bench-", dir="/var/tmp"))
        for place in (fast, stored):
            os.chmod(place, 0o755)
        server = stack.enter_context(Dovecot(stored))
        bench = PushBench(mirror, server, sizes, options.rows)
        bench.flags(fast)
        bench.moves(fast)
        bench.idle(fast)
        text = f"{machine(mirror)}\nmedians of {sizes.pairs} pairs A B A B; ratios are medians of each pair's\n\n" \
            + table(bench.rows) + "\n"
    print("\n" + text)
    if not options.small and not options.rows:
        (here / "results").mkdir(exist_ok=True)
        (here / "results/bench-push.txt").write_text(text)
    if options.small:
        return 0 if bench.rows or options.rows else 1
    return 1 if any(row.holds is False for row in bench.rows) else 0
