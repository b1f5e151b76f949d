"""First and later pulls beside offlineimap, which needs so much longer that fewer messages do."""

import contextlib
import pathlib
import shutil
import tempfile

from mailserver import PASSWORD, Dovecot
from measure import check_arithmetic, machine, table
from pullbench import Bench, Sizes, chosen_sizes, find_mirror, memory_disk

USUAL = Sizes(first=2_000, boxes=35, each=20, pairs=3)


class OfflineimapBench(Bench):
    peer = "offlineimap"

    def peer_command(self, user, tree, port, tls):
        place = pathlib.Path(tree)
        (place / "mail").mkdir(parents=True, exist_ok=True)
        security = f"ssl = yes\nsslcacertfile = {self.server.authority}" if tls else "ssl = no\nstarttls = no"
        settings = place / "offlineimaprc"
        settings.write_text(f"""[general]
accounts = a
metadata = {place}/notes
ui = quiet

[Account a]
localrepository = near
remoterepository = far

[Repository near]
type = Maildir
localfolders = {place}/mail

[Repository far]
type = IMAP
remotehost = localhost
remoteport = {port}
remoteuser = {user}
remotepass = {PASSWORD}
{security}
maxconnections = 4
readonly = yes
""")
        return ["offlineimap", "-o", "-c", settings]

    def forget(self, program, tree):
        super().forget(program, tree)
        shutil.rmtree(f"{tree}/notes", ignore_errors=True)


def run(here, options):
    check_arithmetic()
    mirror = find_mirror(here)
    sizes = chosen_sizes(options, USUAL)
    with contextlib.ExitStack() as stack:
        fast = stack.enter_context(tempfile.TemporaryDirectory(prefix="mirror-bench-", dir=memory_disk()))
        stored = stack.enter_context(tempfile.TemporaryDirectory(prefix="mirror-bench-", dir="/var/tmp"))
        for place in (fast, stored):
            pathlib.Path(place).chmod(0o755)
        bench = OfflineimapBench(mirror, stack.enter_context(Dovecot(stored)), sizes, options.rows)
        bench.first_pulls(fast, "tmpfs", True, None)
        bench.latency(fast, True, None, None)
        rows = bench.rows
    text = f"{machine(mirror, (('offlineimap', '--version'), ('dovecot', '--version')))}\n" \
        f"medians of {sizes.pairs} pairs A B A B; ratios are medians of each pair's\n\n" \
        + table(rows, ("", "offlineimap", "mirror", "ratio")) + "\n"
    print("\n" + text)
    if not options.small and not options.rows:
        (here / "results/bench-offlineimap.txt").write_text(text)
    return 0 if rows or options.rows else 1
