"""The send rows: mirror's queue beside msmtp, message by message, on one SMTP server behind latency."""

import contextlib
import os
import pathlib
import shutil
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading

from mailserver import Client, Dovecot, free_port, wait_for
from measure import median, ratio_of_pairs, timed

HERE = pathlib.Path(__file__).resolve().parent


class Sink(socketserver.ThreadingTCPServer):
    """Takes all mail from anybody who logs in, with PIPELINING, and counts it."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Session)
        self.port = self.server_address[1]
        self.messages = 0
        self.connections = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Session(socketserver.StreamRequestHandler):
    rbufsize = 1 << 18

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.server.lock:
            self.server.connections += 1

    def say(self, text):
        self.wfile.write(text.encode() + b"\r\n")

    def handle(self):
        self.say("220 sink ESMTP")
        while line := self.rfile.readline():
            verb = line[:4].upper()
            if verb == b"EHLO":
                self.say("250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SIZE 500000000\r\n250 AUTH PLAIN")
            elif verb == b"AUTH":
                self.say("235 2.7.0 ok")
            elif verb == b"DATA":
                self.say("354 go")
                while (text := self.rfile.readline()) and text != b".\r\n":
                    pass
                with self.server.lock:
                    self.server.messages += 1
                self.say("250 2.0.0 queued")
            elif verb == b"QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 2.0.0 ok")


def message(size):
    line = b"0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvw\n"
    return b"From: alice@example.org\nTo: bob@example.org\nSubject: bench\n\n" + line * (size // len(line))


def distant(stack, port, one_way):
    far = free_port()
    wire = subprocess.Popen([sys.executable, str(HERE / "wire.py"), str(far), str(port), str(one_way)])
    stack.callback(wire.terminate)
    wait_for(far, "the proxy")
    return far


class Bench:
    def __init__(self, mirror, place, port, imap=1, copies="server"):
        self.mirror, self.place = mirror, place
        place.mkdir(exist_ok=True)
        home = place / "home"
        home.mkdir()
        self.config = place / "config.toml"
        self.config.write_text(f"""root = "{place}/Mail"

[accounts.a]
email = "alice@example.org"
[accounts.a.imap]
host = "127.0.0.1"
port = {imap}
tls = "none"
user = "alice"
password = "pw"
[accounts.a.smtp]
host = "127.0.0.1"
port = {port}
tls = "none"
auth = "plain"
sent-copy = "{copies}"
""")
        self.config.chmod(0o600)
        self.msmtprc = place / "msmtprc"
        self.msmtprc.write_text(f"""account default
host 127.0.0.1
port {port}
from alice@example.org
auth plain
user alice
password pw
tls off
""")
        self.msmtprc.chmod(0o600)
        self.environment = dict(os.environ, HOME=str(home), MIRROR_CONFIG=str(self.config))

    def queue(self, count, file):
        for _ in range(count):
            with open(file, "rb") as text:
                subprocess.run([self.mirror, "sendmail", "-i", "bob@example.org"], stdin=text, check=True,
                               env=self.environment)

    def push(self):
        return timed([self.mirror, "push"], env=self.environment)

    def sendmail(self, file):
        return timed(["sh", "-c", f"exec '{self.mirror}' sendmail -i bob@example.org <'{file}'"],
                     env=self.environment)

    def msmtp(self, program, count, file):
        script = f"for i in $(seq {count}); do '{program}' -C '{self.msmtprc}' bob@example.org <'{file}'; done"
        return timed(["sh", "-ec", script], env=self.environment)


def run(bench_directory, options):
    mirror = os.environ.get("MIRROR_BIN")
    if not mirror:
        subprocess.run(["swift", "build", "-c", "release", "--product", "mirror"], check=True,
                       cwd=bench_directory.parent)
        mirror = str(bench_directory.parent / ".build/release/mirror")
    msmtp = os.environ.get("MSMTP_BIN") or shutil.which("msmtp")
    if not msmtp:
        sys.exit("contrib/bench: send needs msmtp")
    pairs = options.pairs or (1 if options.small else 3)
    count, one_way = (5, 5) if options.small else (100, 25)
    rows = []
    with contextlib.ExitStack() as stack:
        place = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sendbench-")))
        sink = Sink()
        place.chmod(0o755)
        dovecot = stack.enter_context(Dovecot(place / "dovecot"))
        Client(dovecot.port, "alice").command(b'CREATE "Sent"')
        far, far_imap = (distant(stack, port, one_way) for port in (sink.port, dovecot.port))
        bench = Bench(mirror, place, far)
        filing = Bench(mirror, place / "filing", far, far_imap, "append")
        small, large, huge = place / "10k", place / "1M", place / "100M"
        small.write_bytes(message(10_000))
        large.write_bytes(message(1_000_000))
        theirs, ours, filed = [], [], []
        for _ in range(pairs):
            before = sink.messages
            theirs.append(bench.msmtp(msmtp, count, small).seconds)
            bench.queue(count, small)
            ours.append(bench.push().seconds)
            if sink.messages - before != 2 * count:
                sys.exit(f"contrib/bench: {sink.messages - before} messages arrived, not {2 * count}")
            filing.queue(count, small)
            filed.append(filing.push().seconds)
        copies = Client(dovecot.port, "alice").count("Sent")
        if copies != count * pairs:
            sys.exit(f"contrib/bench: {copies} copies in Sent, not {count * pairs}")
        ratio = ratio_of_pairs(ours, theirs)
        rows.append(f"{count} messages of 10 kB at {2 * one_way} ms: msmtp {median(theirs):.2f} s, "
                    f"mirror {median(ours):.2f} s, {median(ours) / count / (2 * one_way / 1000):.2f} round trips "
                    f"each, ratio {ratio:.3f} (budget 0.17)")
        kept = ratio <= 0.17 or options.small
        ratio = ratio_of_pairs(filed, theirs)
        rows.append(f"the same, each with a copy into Sent over IMAP: mirror {median(filed):.2f} s, ratio {ratio:.3f} "
                    "(budget 0.3)")
        kept &= ratio <= 0.3 or options.small
        times = [bench.sendmail(large).seconds for _ in range(9)]
        rows.append(f"sendmail, 1 MB, synced: {median(times) * 1000:.0f} ms (budget 50 ms)")
        kept &= median(times) <= 0.05 or options.small
        bench.push()
        if not options.small:
            huge.write_bytes(message(100_000_000))
            bench.sendmail(huge)
            pushed = bench.push()
            rows.append(f"a push of 100 MB: {pushed.seconds:.1f} s, {pushed.peak / 1024:.0f} MiB (budget 32 MiB)")
            kept &= pushed.peak <= 32 << 10
        sink.shutdown()
    text = "\n".join(rows) + "\n"
    print(text, end="")
    if not options.small:
        results = bench_directory / "results"
        results.mkdir(exist_ok=True)
        (results / "bench-send.txt").write_text(text)
    return 0 if kept else 1
