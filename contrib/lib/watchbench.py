"""The watch rows: how soon mail comes and changes go, beside a loop of IDLE and mbsync; and what waiting costs."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from mailserver import Client, Cyrus, Dovecot
from measure import machine, median
from sendbench import Sink, distant, message



def p95(values):
    return sorted(values)[int(len(values) * 0.95)]


def mail(number):
    return (f"From: alice@example.org\r\nTo: bob@example.org\r\nSubject: {number}\r\n"
            f"Message-ID: <{number}@bench>\r\n\r\nHello.\r\n").encode()


class Watch:
    """`mirror watch` over a tree of its own."""

    def __init__(self, mirror, place, user, imap, smtp, pulls=False):
        self.mirror, self.tree = mirror, place / "Mail" / "a"
        (place / "home").mkdir(parents=True)
        place.chmod(0o755)
        config = place / "config.toml"
        config.write_text(f"""root = "{place}/Mail"

[accounts.a]
email = "{user}@example.org"
[accounts.a.imap]
host = "127.0.0.1"
port = {imap}
tls = "none"
user = "{user}"
password = "pw"
[accounts.a.smtp]
host = "127.0.0.1"
port = {smtp}
tls = "none"
auth = "plain"
sent-copy = "server"
""")
        config.chmod(0o600)
        self.environment = dict(os.environ, HOME=str(place / "home"), MIRROR_CONFIG=str(config))
        self.environment.pop("XDG_STATE_HOME", None)
        if pulls:
            subprocess.run([mirror, "pull", "-q"], check=True, stdin=subprocess.DEVNULL, env=self.environment)
        self.process = subprocess.Popen([mirror, "watch", "--format", "jsonl"], stdout=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, env=self.environment)
        for line in self.process.stdout:
            if b'"listening"' in line:
                break
        threading.Thread(target=lambda: [None for _ in self.process.stdout], daemon=True).start()
        time.sleep(3)

    def stop(self):
        """Returns the seconds that it took."""
        begun = time.perf_counter()
        self.process.terminate()
        self.process.wait()
        return time.perf_counter() - begun

    def files(self):
        return set(os.listdir(self.tree / "INBOX/new")) | set(os.listdir(self.tree / "INBOX/cur"))


class Loop:
    """What people glue together: IDLE, and mbsync for each EXISTS."""

    def __init__(self, place, user, port):
        place.mkdir()
        self.box = place / "Mail"
        self.box.mkdir()
        self.settings = place / "mbsyncrc"
        self.settings.write_text(f"""IMAPStore far
Host 127.0.0.1
Port {port}
User {user}
Pass pw
SSLType None
AuthMechs LOGIN

MaildirStore near
Inbox {self.box}/INBOX
Path {self.box}/

Channel inbox
Far :far:INBOX
Near :near:INBOX
Create Near
SyncState *
""")
        self.sync()
        self.client = Client(port, user)
        self.client.command(b"SELECT INBOX")
        self.ends = False
        self.client.socket.sendall(b"i IDLE\r\n")
        self.thread = threading.Thread(target=self.loop, daemon=True)
        self.thread.start()

    def sync(self):
        subprocess.run(["mbsync", "-q", "-c", self.settings, "inbox"], check=True, stdin=subprocess.DEVNULL)

    def loop(self):
        for line in self.client.lines:
            if self.ends:
                return
            if b" EXISTS" in line:
                self.sync()

    def stop(self):
        self.ends = True
        self.client.socket.shutdown(socket.SHUT_RDWR)

    def files(self):
        return set(os.listdir(self.box / "INBOX/new")) | set(os.listdir(self.box / "INBOX/cur"))


def arrivals(client, side, count, label):
    times = []
    for number in range(count):
        before = len(side.files())
        begun = time.perf_counter()
        client.append("INBOX", [(mail(f"{label}-{number}"), time.time(), "")])
        while len(side.files()) == before:
            time.sleep(0.002)
            if time.perf_counter() - begun > 30:
                raise RuntimeError(f"{label}: message {number} did not arrive")
        times.append(time.perf_counter() - begun)
        time.sleep(1.2)  # mail of one mailbox is pulled once a second at most
    return times


def flags(client, watch, count):
    times = []
    client.command(b"SELECT INBOX")
    for _ in range(count):
        new = watch.tree / "INBOX/new"
        name = sorted(os.listdir(new))[0]
        before = len(client.command(b"SEARCH FLAGGED")[-1].split())
        begun = time.perf_counter()
        os.rename(new / name, watch.tree / "INBOX/cur" / (name.split(":")[0] + ":2,FS"))
        while len(client.command(b"SEARCH FLAGGED")[-1].split()) == before:
            time.sleep(0.01)
        times.append(time.perf_counter() - begun)
        time.sleep(5)  # the least between two pushes
    return times


def sends(sink, watch, file, count):
    times = []
    for _ in range(count):
        before = sink.connections
        with open(file, "rb") as text:
            subprocess.run([watch.mirror, "sendmail", "-i", "bob@example.org"], stdin=text, check=True,
                           env=watch.environment)
        begun = time.perf_counter()
        while sink.connections == before:
            time.sleep(0.001)
        times.append(time.perf_counter() - begun)
        time.sleep(0.5)
    return times


def rest(watch, seconds):
    """Voluntary switches of all threads a minute, bytes handed to write(2), MiB in memory."""
    def figures():
        tasks = pathlib.Path(f"/proc/{watch.process.pid}/task")
        switches = sum(int(line.split()[1]) for task in tasks.iterdir()
                       for line in (task / "status").read_text().splitlines() if line.startswith("voluntary_"))
        io = pathlib.Path(f"/proc/{watch.process.pid}/io").read_text()
        return switches, int(next(line.split()[1] for line in io.splitlines() if line.startswith("wchar")))
    time.sleep(65)
    before = figures()
    time.sleep(seconds)
    after = figures()
    return (after[0] - before[0]) * 60 / seconds, after[1] - before[1], memory(watch)


def memory(watch):
    """MiB."""
    status = pathlib.Path(f"/proc/{watch.process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def run(bench_directory, options):
    mirror = os.environ.get("MIRROR_BIN")
    if not mirror:
        subprocess.run(["swift", "build", "-c", "release", "--product", "mirror"], check=True,
                       cwd=bench_directory.parent)
        mirror = str(bench_directory.parent / ".build/release/mirror")
    if not shutil.which("mbsync"):
        sys.exit("contrib/bench: watch needs mbsync")
    count = 3 if options.small else 50
    rows, kept = [], True

    def row(name, times, budget, beside=""):
        nonlocal kept
        kept &= median(times) <= budget or options.small
        rows.append(f"{name}: median {median(times):.3f} s, p95 {p95(times):.3f} s (budget {budget} s){beside}")

    with contextlib.ExitStack() as stack:
        place = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="watchbench-")))
        place.chmod(0o755)
        dovecot = stack.enter_context(Dovecot(place / "dovecot"))
        sink = Sink()
        for label, one_way, budget in (("loopback", 0, 0.7), ("50 ms", 25, 0.8)):
            user = f"u{one_way}"
            port = distant(stack, dovecot.port, one_way) if one_way else dovecot.port
            client = Client(dovecot.port, user)
            for number in range(35):
                client.create(f"m{number}")
            watch = Watch(mirror, place / f"watch-{user}", user, port, sink.port)
            ours = arrivals(client, watch, count, "ours")
            if not one_way:
                row("a flag here → server", flags(client, watch, count), 3)
                text = place / "10k"
                text.write_bytes(message(10_000))
                row("queued → SMTP's first connection", sends(sink, watch, text, count), 0.3)
            row(f"SIGTERM → end, {label}", [watch.stop()], 3)
            loop = Loop(place / f"loop-{user}", user, port)
            theirs = arrivals(client, loop, count, "theirs")
            loop.stop()
            row(f"new mail → file, {label}", ours, budget,
                f"; IDLE and mbsync: median {median(theirs):.3f} s, p95 {p95(theirs):.3f} s")
        if Cyrus.is_installed():
            cyrus = stack.enter_context(Cyrus(place / "cyrus"))
            client = Client(cyrus.port, "u")
            watch = Watch(mirror, place / "watch-cyrus", "u", cyrus.port, sink.port)
            row("new mail → file, Cyrus with idled", arrivals(client, watch, count, "ours"), 0.2)
            watch.stop()
        many = options.many or (1000 if options.small else 250_000)
        client = Client(dovecot.port, "many")
        client.append("INBOX", ((mail(number), 1_600_000_000 + number, "") for number in range(many)))
        watch = Watch(mirror, place / "watch-many", "many", dovecot.port, sink.port, pulls=True)
        wakes, written, resting = rest(watch, 20 if options.small else 300)
        arrivals(client, watch, 5, "late")
        time.sleep(10)
        later = memory(watch)
        rows.append(f"at rest, {many:,} messages: {wakes:.1f} wake-ups a minute (budget 4), {written} bytes written "
                    f"(budget 0), {resting:.1f} MiB, after arrivals {later:.1f} MiB (budget 48)")
        kept &= (wakes <= 4 and written < 16 and max(resting, later) <= 48) or options.small
        watch.stop()
        sink.shutdown()
    text = "\n".join([machine(mirror), ""] + rows) + "\n"
    print(text, end="")
    if not options.small:
        results = bench_directory / "results"
        results.mkdir(exist_ok=True)
        (results / "bench-watch.txt").write_text(text)
    return 0 if kept else 1
