#!/usr/bin/env python3
"""The server behind contrib/quickstart: demo.py start|stop DIRECTORY."""

import os
import pathlib
import sys

from mailserver import PASSWORD, Client, Dovecot
from samplemail import SampleMail

MAILBOXES = {"INBOX": 60, "Archive/2024": 120, "Lists/swift": 80, "Sent": 25, "Drafts": 2}


def start(place):
    server = Dovecot(place / "server").start()
    client = Client(server.port, "demo")
    for seed, (mailbox, count) in enumerate(MAILBOXES.items()):
        try:
            client.create(mailbox)
        except RuntimeError:
            pass  # it is there already
        if client.count(mailbox) == 0:
            client.append(mailbox, SampleMail(seed).run(count))
    settings = place / "config.toml"
    settings.write_text(f"""root = "{place}/Mail"

[accounts.demo]
email = "demo@localhost"

[accounts.demo.imap]
host = "localhost"
port = {server.tls_port}
ca-file = "{server.authority}"
user = "demo"
password = "{PASSWORD}"
""")
    settings.chmod(0o600)
    if "SUDO_UID" in os.environ:
        os.chown(settings, int(os.environ["SUDO_UID"]), int(os.environ["SUDO_GID"]))
    print(f"a private Dovecot with sample mail, on localhost:{server.tls_port}")


def stop(place):
    os.execvp("doveadm", ["doveadm", "-c", str(place / "server/dovecot.conf"), "stop"])


if __name__ == "__main__":
    {"start": start, "stop": stop}[sys.argv[1]](pathlib.Path(sys.argv[2]))
