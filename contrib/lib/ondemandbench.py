"""Large parts left on the server: mirror beside mbsync with and without MaxSize, over the same slow line, in the same run."""

import contextlib
import dataclasses
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from mailserver import Client, Dovecot, free_port, wait_for
from measure import Row, check_arithmetic, machine, median, ratio_of_pairs, table, timed
from pullbench import Bench, find_mirror, memory_disk
from samplemail import SampleMail

LIMIT = 100_000
PROGRAMS = ("mbsync", "mbsync MaxSize", "mirror whole", "mirror", "mirror uncompressed")
ATTACHED = 0.2


class OfficeMail(SampleMail):
    """Text of a few kilobytes; every fifth message has a file, of 400 kB as a median."""

    def __init__(self, seed=1):
        super().__init__(seed, median=4000, attachments=0)

    def message(self, number, date):
        whole = super().message(number, date)
        if self.random.random() >= ATTACHED:
            return whole
        header, _, text = whole.partition(b"\r\n\r\n")
        fields = [line for line in header.split(b"\r\n") if not line.startswith(b"Content-Type")]
        size = int(min(1_400_000, max(4000, self.random.lognormvariate(math.log(400_000), 1.1))))
        return (b"\r\n".join(fields) + b'\r\nContent-Type: multipart/mixed; boundary="part"\r\n\r\n'
                + b"--part\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + text
                + b"\r\n--part\r\nContent-Type: application/pdf; name=a.pdf\r\n"
                b"Content-Disposition: attachment; filename=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n"
                + self.cut(self.noise, size) + b"--part--\r\n")


@dataclasses.dataclass
class Sizes:
    messages: int = 5000
    unchanged: int = 250_000
    pairs: int = 3
    one_way: float = 25  # milliseconds
    rate: float = 20e6 / 8  # bytes a second


SMALL = Sizes(messages=60, unchanged=400, pairs=1, one_way=5)


class TenthMail(SampleMail):
    """Each tenth message has a file of 4 kB."""

    def __init__(self, seed=3):
        super().__init__(seed, median=900, attachments=0)

    def message(self, number, date):
        whole = super().message(number, date)
        if number % 10:
            return whole
        header, _, text = whole.partition(b"\r\n\r\n")
        fields = [line for line in header.split(b"\r\n") if not line.startswith(b"Content-Type")]
        return (b"\r\n".join(fields) + b'\r\nContent-Type: multipart/mixed; boundary="part"\r\n\r\n'
                + b"--part\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + text
                + b"\r\n--part\r\nContent-Type: application/pdf; name=a.pdf\r\n"
                b"Content-Disposition: attachment; filename=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n"
                + self.cut(self.noise, 4000) + b"--part--\r\n")


class OnDemandBench(Bench):
    """A first pull of an office's mail."""

    @contextlib.contextmanager
    def slow_wire(self, target, count):
        port = free_port()
        script = pathlib.Path(__file__).with_name("wire.py")
        process = subprocess.Popen(
            [sys.executable, script, str(port), str(target), str(self.sizes.one_way), count, str(self.sizes.rate)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            wait_for(port, "the slow line")
            yield port
            time.sleep(1)  # until what went over it is written down
        finally:
            process.terminate()
            process.wait()

    def variants(self, place, port):
        trees = {name: f"{place}/{name.replace(' ', '-')}" for name in PROGRAMS}
        commands = {"mbsync": self.peer_command("office", trees["mbsync"], port, False)}
        commands["mbsync MaxSize"] = self.peer_command("office", trees["mbsync MaxSize"], port, False)
        settings = pathlib.Path(trees["mbsync MaxSize"]) / "mbsyncrc"
        settings.write_text(settings.read_text().replace("Inbox ", f"MaxSize {LIMIT}\nInbox "))
        for name in PROGRAMS:
            if name.startswith("mirror"):
                commands[name] = self.mirror_command("office", trees[name], port, False)
        for name in ("mirror", "mirror uncompressed"):
            settings = pathlib.Path(trees[name]) / "config.toml"
            settings.write_text(settings.read_text() + f'\n[accounts.a.sync]\non-demand = "{LIMIT // 1000}kB"\n')
        return trees, commands

    @staticmethod
    def environment(name):
        """The line stands for a server elsewhere: mirror would compress what comes over it, and does not on the machine
        itself."""
        compression = "never" if name == "mirror uncompressed" else "always"
        return {**os.environ, "MIRROR_COMPRESS": compression}

    def prepare(self, name, tree):
        shutil.rmtree(f"{tree}/mail", ignore_errors=True)
        if name.startswith("mbsync"):
            os.makedirs(f"{tree}/mail")

    def first_pulls(self, place):
        mail = list(OfficeMail().run(self.sizes.messages))
        client = Client(self.server.port, "office")
        client.append("INBOX", mail)
        text = self.text_bytes(mail)
        counts = {}
        runs = {}
        with tempfile.TemporaryDirectory(dir=place) as notes:
            for number in range(self.sizes.pairs):
                for name in PROGRAMS:
                    count = pathlib.Path(notes) / f"{number}-{name.replace(' ', '-')}"
                    with self.slow_wire(self.port(False), count) as port:
                        trees, commands = self.variants(place, port)
                        self.prepare(name, trees[name])
                        runs.setdefault(name, []).append(timed(commands[name], env=self.environment(name)))
                        assert self.files(trees[name]) == self.sizes.messages, (name, self.files(trees[name]))
                    counts[name] = sum(int(line.split()[1]) for line in count.read_text().splitlines())
        wall = {name: [run.seconds for run in all_runs] for name, all_runs in runs.items()}
        rate = f"{self.sizes.rate * 8 / 1e6:.0f} Mbit/s, {2 * self.sizes.one_way:.0f} ms"
        what = f"first pull, {self.sizes.messages} office messages, {rate}"
        for peer, budget in (("mbsync", 0.25), ("mbsync MaxSize", 0.7)):
            ratio = ratio_of_pairs(wall["mirror"], wall[peer])
            self.add(Row(f"{what}, beside {peer}", f"{median(wall[peer]):.1f} s", f"{median(wall['mirror']):.1f} s",
                         f"{ratio:.2f}", f"≤ {budget} ×", ratio <= budget))
        ratio = ratio_of_pairs(wall["mirror uncompressed"], wall["mbsync MaxSize"])
        self.add(Row(f"{what}, uncompressed, beside mbsync MaxSize", f"{median(wall['mbsync MaxSize']):.1f} s",
                     f"{median(wall['mirror uncompressed']):.1f} s", f"{ratio:.2f}"))
        ratio = counts["mirror uncompressed"] / text
        self.add(Row("bytes received uncompressed, beside what stays here", f"{text / 1e6:.1f} MB",
                     f"{counts['mirror uncompressed'] / 1e6:.1f} MB", f"{ratio:.2f}", "≤ 1.1 ×", ratio <= 1.1))
        peaks = {name: max(run.peak for run in runs[name]) for name in ("mirror", "mirror whole")}
        ratio = peaks["mirror"] / peaks["mirror whole"]
        self.add(Row("peak memory, beside a plain pull", f"{peaks['mirror whole'] / 1024:.1f} MiB",
                     f"{peaks['mirror'] / 1024:.1f} MiB", f"{ratio:.2f}", "≤ 1.25 ×", ratio <= 1.25))

    def unchanged(self, place):
        """A pull of one mailbox that finds nothing new: of a tree with a tenth stubs, and of one without."""
        count = self.sizes.unchanged
        Client(self.server.port, "tenth").append("INBOX", TenthMail().run(count))
        commands = {}
        for name, limit in (("whole", None), ("stubs", "2kB")):
            tree = f"{place}/tenth-{name}"
            commands[name] = self.mirror_command("tenth", tree, self.port(False), False)
            if limit:
                settings = pathlib.Path(tree) / "config.toml"
                settings.write_text(settings.read_text() + f'\n[accounts.a.sync]\non-demand = "{limit}"\n')
            timed(commands[name])
            assert self.files(tree) == count, self.files(tree)
        runs = {name: [] for name in commands}
        for _ in range(max(5, self.sizes.pairs)):
            for name, command in commands.items():
                runs[name].append(timed(command))
        seconds = {name: median([run.seconds for run in runs[name]]) for name in runs}
        peaks = {name: max(run.peak for run in runs[name]) for name in runs}
        what = f"no-op pull, {count} messages, a tenth stubs, beside none"
        holds = seconds["stubs"] <= max(1.1 * seconds["whole"], seconds["whole"] + 0.01)
        self.add(Row(what, f"{seconds['whole']:.3f} s", f"{seconds['stubs']:.3f} s",
                     f"{seconds['stubs'] / seconds['whole']:.2f}", "≤ 1.1 ×, or 10 ms", holds))
        ratio = peaks["stubs"] / peaks["whole"]
        self.add(Row("the same, peak memory", f"{peaks['whole'] / 1024:.1f} MiB", f"{peaks['stubs'] / 1024:.1f} MiB",
                     f"{ratio:.2f}", "≤ 1.1 ×", ratio <= 1.1))
        for name in commands:
            shutil.rmtree(f"{place}/tenth-{name}", ignore_errors=True)

    @staticmethod
    def text_bytes(mail):
        """Of headers, text and small parts, as the server sends them."""
        total = 0
        for message, _, _ in mail:
            if len(message) <= LIMIT or b"boundary=\"part\"" not in message:
                total += len(message)
                continue
            end = message.rindex(b"--part--")
            absent = end - message.rindex(b"\r\n\r\n", 0, end) - 4
            total += len(message) - (absent if absent > LIMIT else 0)
        return total

    def fills(self, place):
        """One message of 10 MB: no byte comes twice."""
        size = 10_000_000
        client = Client(self.server.port, "big")
        noise = SampleMail(7).noise
        body = (noise * (size // len(noise) + 1))[:size]
        header = (b"Subject: big\r\nMessage-ID: <big@example.org>\r\nMIME-Version: 1.0\r\n"
                  b'Content-Type: multipart/mixed; boundary="part"\r\n\r\n--part\r\n\r\ntext\r\n--part\r\n'
                  b"Content-Type: video/mp4; name=big.mp4\r\nContent-Transfer-Encoding: base64\r\n\r\n")
        message = header + body + b"\r\n--part--\r\n"
        client.append("INBOX", [(message, 1_600_000_000, "")])
        tree = f"{place}/fill"
        count = pathlib.Path(place) / "fill-count"
        pull = self.mirror_command("big", tree, self.port(False), False)
        settings = pathlib.Path(tree) / "config.toml"
        settings.write_text(settings.read_text() + '\n[accounts.a.sync]\non-demand = "100kB"\n')
        timed(pull)
        with self.slow_wire(self.port(False), count) as port:
            text = settings.read_text()
            settings.write_text(text.replace(f"port = {self.port(False)}", f"port = {port}"))
            run = timed([self.mirror, "fill", "--config", settings, "--all", "-q"])
        received = sum(int(line.split()[1]) for line in count.read_text().splitlines())
        ratio = received / len(message)
        self.add(Row("fill of a message of 10 MB, bytes received", f"{len(message) / 1e6:.2f} MB",
                     f"{received / 1e6:.2f} MB", f"{ratio:.3f}", "≤ 1.01 ×", ratio <= 1.01))
        self.add(Row("the same, wall time", "", f"{run.seconds:.1f} s"))


def run(here, options):
    check_arithmetic()
    mirror = find_mirror(here)
    sizes = dataclasses.replace(SMALL if options.small else Sizes())
    if options.pairs:
        sizes.pairs = options.pairs
    if options.many:
        sizes.messages = options.many
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(tempfile.TemporaryDirectory(prefix="mirror-bench-", dir=memory_disk()))
        stored = stack.enter_context(tempfile.TemporaryDirectory(prefix="mirror-bench-", dir="/var/tmp"))
        for directory in (place, stored):
            os.chmod(directory, 0o755)
        server = stack.enter_context(Dovecot(stored))
        bench = OnDemandBench(mirror, server, sizes, options.rows)
        for name, measure in (("first pull", bench.first_pulls), ("fill", bench.fills), ("no-op pull", bench.unchanged)):
            if bench.wants(name):
                measure(place)
        rows = bench.rows
        text = f"{machine(mirror)}\nmedians of {sizes.pairs} runs, A B C D; ratios are medians of each run's\n\n" \
            + table(rows, ("", "peer", "mirror", "ratio", "budget", "kept")) + "\n"
    print("\n" + text)
    if options.small:
        print(f"{len(rows)} rows measured; with so few messages no budget is judged")
        return 0
    if not options.rows:
        (here / "results").mkdir(exist_ok=True)
        (here / "results/bench-ondemand.txt").write_text(text)
    missed = [row.name for row in rows if row.holds is False]
    if missed:
        print("over budget: " + "; ".join(missed))
    return 1 if missed else 0
