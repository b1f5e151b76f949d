"""A private Dovecot on loopback, a latency proxy, and mail to fill it with: for the demo and the benchmark."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

PASSWORD = "pw"
OWNER = 5000  # of all mail: a number, so that no user has to be made
SPECIAL = ("Drafts", "Sent", "Trash", "Junk", "Archive")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, what, seconds=15):
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > end:
                sys.exit(f"{what} does not answer at port {port}")
            time.sleep(0.02)


def make_certificate(directory):
    """A server certificate that is its own authority."""
    if (directory / "cert.pem").exists():
        return
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "3650", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True, cwd=directory, capture_output=True)


def configuration(directory, port, tls_port):
    boxes = "".join(
        f"  mailbox {name} {{\n    special_use = \\{name}\n    auto = create\n  }}\n" for name in SPECIAL)
    return f"""
base_dir = {directory}/run
state_dir = {directory}/state
log_path = {directory}/dovecot.log
info_log_path = /dev/null
protocols = imap
ssl = yes
ssl_cert = <{directory}/cert.pem
ssl_key = <{directory}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login
default_internal_user = dovecot
default_login_user = dovenull
mail_location = sdbox:~/mail
mail_uid = {OWNER}
mail_gid = {OWNER}
first_valid_uid = 1
first_valid_gid = 1
mail_fsync = never
mail_max_userip_connections = 200
protocol imap {{
  mail_plugins = imap_zlib
}}
passdb {{
  driver = static
  args = password={PASSWORD}
}}
userdb {{
  driver = static
  args = uid={OWNER} gid={OWNER} home={directory}/home/%u
}}
namespace inbox {{
  inbox = yes
  separator = /
{boxes}}}
service imap-login {{
  inet_listener imap {{
    address = 127.0.0.1
    port = {port}
  }}
  inet_listener imaps {{
    address = 127.0.0.1
    port = {tls_port}
    ssl = yes
  }}
  service_count = 0
  process_min_avail = 1
}}
service imap {{
  process_limit = 200
}}
service stats {{
  client_limit = 2000
}}
"""


class Dovecot:
    """Any user, password `pw`; everything lies in one directory."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory).resolve()
        for part in ("", "run", "home", "state"):
            (self.directory / part).mkdir(parents=True, exist_ok=True)
        self.directory.chmod(0o755)
        os.chown(self.directory / "home", OWNER, OWNER)
        make_certificate(self.directory)
        self.authority = self.directory / "cert.pem"
        self.port, self.tls_port = free_port(), free_port()
        self.settings = self.directory / "dovecot.conf"
        self.settings.write_text(configuration(self.directory, self.port, self.tls_port))

    def start(self):
        # A daemon that inherits a pipe keeps its reader waiting: everything is /dev/null.
        null = subprocess.DEVNULL
        subprocess.run(["dovecot", "-c", self.settings], check=True, stdin=null, stdout=null, stderr=null)
        wait_for(self.port, "Dovecot")
        return self

    def stop(self):
        subprocess.run(["doveadm", "-c", self.settings, "stop"], stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()


class Cyrus:
    """Any user, password `pw`, with the process that tells of changes at once. Debian's imapd does not live beside
    Dovecot's: it lies where contrib/test has put it."""

    ROOT = os.environ.get("MIRROR_CYRUS_ROOT", "/var/cache/mirror-test/cyrus")
    PROGRAMS = "/usr/lib/cyrus/bin"

    @classmethod
    def program(cls, name):
        for place in (cls.PROGRAMS, cls.ROOT + cls.PROGRAMS):
            if os.access(f"{place}/{name}", os.X_OK):
                return f"{place}/{name}"
        return None

    @classmethod
    def is_installed(cls):
        return all(map(cls.program, ("master", "imapd", "idled")))

    def __init__(self, directory):
        self.directory = pathlib.Path(directory).resolve()
        for part in ("config/socket", "spool", "proc", "sieve"):
            (self.directory / part).mkdir(parents=True)
        self.port = free_port()
        place, idle = self.directory, f"{self.directory}/config/socket/idle"
        self.settings = place / "imapd.conf"
        self.settings.write_text(f"""configdirectory: {place}/config
partition-default: {place}/spool
defaultpartition: default
sievedir: {place}/sieve
proc_path: {place}/proc
mboxname_lockpath: {place}/config/lock
idlesocket: {idle}
admins: admin
allowplaintext: yes
sasl_pwcheck_method: alwaystrue
sasl_mech_list: PLAIN LOGIN
unixhierarchysep: yes
altnamespace: yes
virtdomains: off
autocreate_quota: 0
autocreate_post: yes
autocreate_inbox_folders: Sent | Drafts | Trash
""")
        (place / "cyrus.conf").write_text(f"""START {{
  recover cmd="{self.program("ctl_cyrusdb")} -C {self.settings} -r"
  idled cmd="{self.program("idled")} -C {self.settings}"
}}
SERVICES {{
  imap cmd="{self.program("imapd")} -C {self.settings} -U 30" listen="127.0.0.1:{self.port}" prefork=1 maxchild=50
}}
EVENTS {{
}}
""")
        subprocess.run(["chown", "-R", "cyrus:mail", place], check=True)

    def __enter__(self):
        null = subprocess.DEVNULL
        self.process = subprocess.Popen(
            [self.program("master"), "-C", self.settings, "-M", self.directory / "cyrus.conf", "-p",
             self.directory / "master.pid", "-D"], stdin=null, stdout=null, stderr=null, start_new_session=True)
        wait_for(self.port, "Cyrus")
        return self

    def __exit__(self, *_):
        # With idled, which is a child of the master's that it does not end.
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()


class Client:
    """Just enough IMAP to fill an account."""

    MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()

    def __init__(self, port, user):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.lines = self.socket.makefile("rb")
        self.lines.readline()
        self.command(f"LOGIN {user} {PASSWORD}".encode())

    def command(self, text):
        self.socket.sendall(b"a " + text + b"\r\n")
        untagged = []
        while line := self.lines.readline():
            if line.startswith(b"a "):
                if not line.startswith(b"a OK"):
                    raise RuntimeError(f"{text[:80]!r}: {line!r}")
                return untagged
            untagged.append(line)
        raise RuntimeError("the server closed the connection")

    def create(self, mailbox):
        self.command(f'CREATE "{mailbox}"'.encode())

    def count(self, mailbox):
        line = self.command(f'STATUS "{mailbox}" (MESSAGES)'.encode())[-1]
        return int(line.split()[-1].rstrip(b")"))

    def append(self, mailbox, messages):
        """Delivers (bytes, seconds, flags), many to a command; returns the bytes delivered."""
        batch, size, total = [], 0, 0
        for message, date, flags in messages:
            t = time.gmtime(date)
            when = (f"{t.tm_mday:02d}-{self.MONTHS[t.tm_mon - 1]}-{t.tm_year} "
                    f"{t.tm_hour:02d}:{t.tm_min:02d}:{t.tm_sec:02d} +0000")
            batch.append(f' ({flags}) "{when}" {{{len(message)}+}}\r\n'.encode())
            batch.append(message)
            size += len(message)
            total += len(message)
            if len(batch) >= 1000 or size > 8_000_000:
                self.command(f'APPEND "{mailbox}"'.encode() + b"".join(batch))
                batch, size = [], 0
        if batch:
            self.command(f'APPEND "{mailbox}"'.encode() + b"".join(batch))
        return total
