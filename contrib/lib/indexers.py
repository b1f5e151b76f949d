"""mirror-index, notmuch and mu over one and the same tree, each with its index in a place of its own."""

import os
import pathlib
import shutil
import sqlite3
import subprocess

from measure import timed


def disk_use(*places):
    """Bytes on disk of files and trees, those that are missing left out."""
    total = 0
    for place in map(pathlib.Path, places):
        paths = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
        total += sum(path.stat().st_blocks * 512 for path in paths)
    return total


class Indexer:
    """`environment` keeps every program off the caller's own settings."""

    def __init__(self, place, root):
        self.place, self.root = pathlib.Path(place) / self.name, pathlib.Path(root)
        self.place.mkdir(parents=True, exist_ok=True)
        self.environment = {"HOME": str(self.place), "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                            "TZ": "UTC"}

    def run(self, *command):
        return subprocess.run(
            [*map(str, command)], env=self.environment, check=True, capture_output=True, text=True).stdout

    def update(self):
        return timed(self.update_command(), env=self.environment)

    def build(self):
        """Index from nothing."""
        self.forget()
        return self.update()


class Mirror(Indexer):
    name = "mirror"

    def __init__(self, place, root, binary):
        super().__init__(place, root)
        self.binary = binary
        self.database = self.root / ".mirror/index.db"

    def forget(self):
        for end in ("", "-wal", "-shm"):
            pathlib.Path(f"{self.database}{end}").unlink(missing_ok=True)

    def update_command(self):
        return [self.binary, "update", "--root", self.root, "-q"]

    def size(self):
        return disk_use(*(f"{self.database}{end}" for end in ("", "-wal")))

    def search_command(self, query, ids=False):
        return [self.binary, "search", "--root", self.root, "--limit", "50",
                *(["--format", "ids"] if ids else []), "--", query]

    def show_command(self, number):
        return [self.binary, "show", "--root", self.root, str(number)]

    def stats_command(self):
        return [self.binary, "stats", "--root", self.root]

    def sql(self, statement):
        with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True) as connection:
            return connection.execute(statement).fetchall()

    def count(self):
        return self.sql("SELECT count(*) FROM messages")[0][0]

    def hits(self, query):
        return int(self.run(self.binary, "search", "--root", self.root, "--count", "--", query))


class Notmuch(Indexer):
    name = "notmuch"

    def __init__(self, place, root):
        super().__init__(place, root)
        self.database = self.place / "database"
        settings = self.place / "config"
        settings.write_text(
            f"[database]\npath={self.database}\nmail_root={self.root}\n[user]\nname=a\nprimary_email=a@example\n"
            "[new]\ntags=\nignore=.mirror\n[search]\n[maildir]\nsynchronize_flags=true\n")
        self.environment["NOTMUCH_CONFIG"] = str(settings)

    def forget(self):
        shutil.rmtree(self.database, ignore_errors=True)
        self.database.mkdir()

    def update_command(self):
        return ["notmuch", "new", "--quiet"]

    def size(self):
        return disk_use(self.database)

    def search_command(self, query, ids=False):
        return ["notmuch", "search", "--limit=50", *(["--output=messages"] if ids else []), "--", query]

    def show_command(self, identity):
        return ["notmuch", "show", "--entire-thread=false", f"id:{identity}"]

    def count(self):
        return int(self.run("notmuch", "count", "*"))

    def hits(self, query):
        return int(self.run("notmuch", "count", "--", query))


class Mu(Indexer):
    name = "mu"

    def forget(self):
        shutil.rmtree(self.place / "mu", ignore_errors=True)
        self.run("mu", "init", f"--muhome={self.place}/mu", f"--maildir={self.root}")

    def update_command(self):
        return ["mu", "index", f"--muhome={self.place}/mu", "--nocolor", "--quiet"]

    def size(self):
        return disk_use(self.place / "mu")

    def search_command(self, query):
        return ["mu", "find", f"--muhome={self.place}/mu", "--nocolor", "--maxnum=50", "--sortfield=date",
                "--reverse", query]

    def hits(self, query):
        done = subprocess.run(
            ["mu", "find", f"--muhome={self.place}/mu", "--nocolor", "--fields=l", "--skip-dups=false", query],
            env=self.environment, capture_output=True, text=True)
        if done.returncode not in (0, 2, 4):  # 2 and 4: nothing found, in one release or another
            raise RuntimeError(f"mu find: {done.stderr}")
        return len(done.stdout.splitlines())

    def count(self):
        return self.hits("")


def find_mirror_index(here):
    """MIRROR_INDEX_BIN, or what lies beside MIRROR_BIN, or a release built now."""
    named = os.environ.get("MIRROR_INDEX_BIN")
    if not named and "MIRROR_BIN" in os.environ:
        named = str(pathlib.Path(os.environ["MIRROR_BIN"]).with_name("mirror-index"))
    if named:
        return named
    flags = ["-c", "release", "--product", "mirror-index"]
    subprocess.run(["swift", "build", *flags], cwd=here.parent, check=True, stdout=subprocess.DEVNULL)
    path = subprocess.run(["swift", "build", "-c", "release", "--show-bin-path"], cwd=here.parent, check=True,
                          capture_output=True, text=True).stdout.strip()
    return f"{path}/mirror-index"
