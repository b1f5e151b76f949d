"""The index and search rows of the budget table: mirror-index beside notmuch and mu, over one tree, in one run."""

import contextlib
import dataclasses
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from indexers import Mirror, Mu, Notmuch, find_mirror_index
from mailtree import ListsTree, MailTree
from measure import check_arithmetic, machine, median, ratio_of_pairs, table
from searches import questions

MEMORY_LIMIT = 96 << 10  # KiB
HEADS = ("", "notmuch", "mu", "mirror", "to notmuch", "budget", "to mu", "budget", "kept")
NOTE = """\
Tree and indexes on tmpfs; every program indexes the same files, one after the other in each round.
A tenth of the mail is HTML alone: mu 1.8 leaves its text out and so does less work, notmuch indexes its CSS with it.
"""


@dataclasses.dataclass
class Sizes:
    first: int = 20_000
    many: int = 250_000
    folders: int = 400
    rounds: int = 3
    updates: int = 5
    repeats: int = 11


SMALL = Sizes(first=200, many=400, folders=8, rounds=1, updates=2, repeats=1)


@dataclasses.dataclass
class Row:
    """Figures as they are printed; a ratio has its budget in the column beside it."""

    name: str
    notmuch: str = ""
    mu: str = ""
    mirror: str = ""
    to_notmuch: str = ""
    budget: str = ""
    to_mu: str = ""
    mu_budget: str = ""
    holds: bool | None = None

    def cells(self):
        return [self.name, self.notmuch, self.mu, self.mirror, self.to_notmuch, self.budget, self.to_mu,
                self.mu_budget, {None: "", True: "yes", False: "NO"}[self.holds]]


def ratio_row(name, values, show, notmuch_limit=None, mu_limit=None):
    """One row of three programs, `values` the rounds of each; the limits are the budgets, None where there is none."""
    to_notmuch = ratio_of_pairs(values["mirror"], values["notmuch"])
    to_mu = ratio_of_pairs(values["mirror"], values["mu"])
    judged = [ratio <= limit for ratio, limit in ((to_notmuch, notmuch_limit), (to_mu, mu_limit)) if limit]
    return Row(name, *(show(median(values[program])) for program in ("notmuch", "mu", "mirror")),
               f"{to_notmuch:.3f}", f"≤ {notmuch_limit} ×" if notmuch_limit else "",
               f"{to_mu:.3f}", f"≤ {mu_limit} ×" if mu_limit else "", all(judged) if judged else None)


def percentile(values, share):
    """The smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]


def seconds(value):
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"


def mebibytes(value):
    return f"{value / (1 << 20):.1f} MiB"


class Bench:
    def __init__(self, binary, place, sizes, options):
        self.binary, self.place, self.sizes, self.options = binary, pathlib.Path(place), sizes, options
        self.rows = []
        self.large = None

    def add(self, row):
        if self.options.small:
            row.holds = None  # so few messages say nothing about a budget
        self.rows.append(row)
        print("  " + "  ".join(cell for cell in row.cells() if cell), flush=True)

    def wants(self, name):
        return self.options.rows in name

    def tree(self, name, count, kind=MailTree, **options):
        begun = time.perf_counter()
        tree = kind(self.place / name / "mail", count, html=0.1, **options)
        programs = {
            "notmuch": Notmuch(self.place / name, tree.root), "mu": Mu(self.place / name, tree.root),
            "mirror": Mirror(self.place / name, tree.root, self.binary)}
        print(f"  tree of {count} messages, {tree.bytes / 1e6:.0f} MB, {time.perf_counter() - begun:.0f} s", flush=True)
        return tree, programs

    # Building.

    def build(self, programs, count, rounds):
        """Each program's runs from nothing, and the bytes that each index takes then."""
        runs = {name: [] for name in programs}
        for _ in range(rounds):
            for name, program in programs.items():
                runs[name].append(program.build())
                assert program.count() == count, (name, program.count(), count)
        return runs, {name: [program.size()] for name, program in programs.items()}

    def building_rows(self, count, runs, sizes):
        name = f"index {count} messages from nothing"
        wall = {program: [run.seconds for run in runs[program]] for program in runs}
        processor = {program: [max(run.processor, 0.001) for run in runs[program]] for program in runs}
        self.add(ratio_row(name, wall, seconds, 0.03, 0.08))
        self.add(ratio_row(f"{name}, CPU", processor, seconds))
        self.add(ratio_row(f"index size, {count} messages", sizes, mebibytes, 0.19, 0.35))
        peak = {program: max(run.peak for run in runs[program]) for program in runs}
        self.add(Row(f"peak memory, index of {count}",
                     *(mebibytes(peak[program] << 10) for program in ("notmuch", "mu", "mirror")),
                     budget="≤ 96 MiB", holds=peak["mirror"] <= MEMORY_LIMIT))

    def first_index(self):
        if not self.wants("from nothing"):
            return
        tree, programs = self.tree("first", self.sizes.first)
        self.building_rows(self.sizes.first, *self.build(programs, tree.count, self.sizes.rounds))

    def large_tree(self):
        """The tree of many messages, indexed once by every program; made when first asked for."""
        if self.large is None:
            tree, programs = self.tree("many", self.sizes.many, seed=3, median=900, attachments=0)
            runs, sizes = self.build(programs, tree.count, 1)
            self.large = tree, programs, runs, sizes
        return self.large

    # Updating.

    def updates(self):
        tree, programs, runs, sizes = self.large_tree()
        self.building_rows(self.sizes.many, runs, sizes)
        words, spent = [], {name: [] for name in programs}
        for number in range(self.sizes.updates):
            words.append(tree.one_more(number)[1])
            for name, program in programs.items():
                spent[name].append(program.update().seconds)
        for name, program in programs.items():
            for word in words:
                assert program.hits(word) == 1, (name, word, program.hits(word))
        name = f"update after one new message in {self.sizes.many}"
        self.add(ratio_row(name, spent, seconds, 0.9))
        self.idle(programs, f"update with nothing new in {self.sizes.many}")

    def many_folders(self):
        if not self.wants("folders"):
            return
        count, folders = self.sizes.first, self.sizes.folders
        _, programs = self.tree("folders", count, ListsTree, folders=folders)
        self.build(programs, count, 1)
        # Times of folders prove nothing while they are new.
        time.sleep(3)
        for program in programs.values():
            program.update()
        self.idle(programs, f"update with nothing new in {folders} folders")

    def idle(self, programs, name):
        spent = {name: [program.update().seconds for _ in range(self.sizes.updates)]
                 for name, program in programs.items()}
        self.add(ratio_row(name, spent, seconds, 0.9))

    # Searching.

    def searches(self):
        tree, programs, _, _ = self.large_tree()
        for program in programs.values():
            program.update()
        listed = questions(tree.mail, tree.account)
        taken = {"notmuch": {}, "mu": {}, "mirror": {}}
        bare = {"notmuch": {}, "mirror": {}}
        for question in listed:
            if question.same:
                ours, theirs = programs["mirror"].hits(question.mirror), programs["notmuch"].hits(question.notmuch)
                # Of a message's two alternatives we index one, notmuch both: a phrase may stand in the other only.
                assert abs(ours - theirs) <= theirs // 1000, f"{question.name}: {ours} here, {theirs} in notmuch"
            for _ in range(self.sizes.repeats):
                for name, program in programs.items():
                    self.sample(taken[name], question.name, program, program.search_command(getattr(question, name)))
                for name in bare:
                    command = programs[name].search_command(getattr(question, name), ids=True)
                    self.sample(bare[name], question.name, programs[name], command)
        if self.options.verbose:
            for question in listed:
                print(f"    {question.name:32}" + "".join(
                    f"{name} {median(taken[name][question.name]) * 1000:6.1f} ms  " for name in taken))
        self.search_rows(taken, bare)
        self.showing(tree, programs)
        self.relevance(programs["mirror"], listed[0].mirror)
        self.statistics(programs["mirror"])

    def sample(self, samples, name, program, command):
        """Searching is so short that even `time` between would count."""
        begun = time.perf_counter()
        status = subprocess.run([*map(str, command)], env=program.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        samples.setdefault(name, []).append(time.perf_counter() - begun)
        if status not in (0, 2, 4) or (status and program.name != "mu"):
            raise RuntimeError(f"{command} ended with {status}")

    def search_rows(self, taken, bare):
        name = f"search, {self.sizes.many} messages, first 50"
        p95 = {program: percentile([one for runs in taken[program].values() for one in runs], 95) for program in taken}
        self.add(Row(f"{name}, p95 of {len(taken['mirror'])} queries",
                     *(seconds(p95[program]) for program in ("notmuch", "mu", "mirror")),
                     budget="≤ 12 ms", holds=p95["mirror"] <= 0.012))
        middle = {program: [statistics.fmean(median(runs) for runs in taken[program].values())] for program in taken}
        self.add(ratio_row(f"{name}, mean query", middle, seconds, 0.5))
        self.add(self.slowest(f"{name}, the query that does worst", taken))
        self.add(self.slowest(f"{name}, ids only, the query that does worst", bare))

    @staticmethod
    def slowest(name, taken):
        """Never slower than notmuch: judged by the query with the worst ratio."""
        query, ratio = max(
            ((query, median(runs) / median(taken["notmuch"][query])) for query, runs in taken["mirror"].items()),
            key=lambda pair: pair[1])
        return Row(f"{name} ({query})", seconds(median(taken["notmuch"][query])), "",
                   seconds(median(taken["mirror"][query])), f"{ratio:.3f}", "≤ 1 ×", holds=ratio <= 1)

    def showing(self, tree, programs):
        chosen = programs["mirror"].sql(
            "SELECT id, message_id FROM messages ORDER BY id LIMIT 10 OFFSET (SELECT count(*) / 2 FROM messages)")
        taken = {"notmuch": {}, "mirror": {}}
        for number, identity in chosen:
            for _ in range(self.sizes.repeats):
                self.sample(taken["notmuch"], number, programs["notmuch"], programs["notmuch"].show_command(identity))
                self.sample(taken["mirror"], number, programs["mirror"], programs["mirror"].show_command(number))
        spent = {name: median([one for runs in taken[name].values() for one in runs]) for name in taken}
        self.add(Row(f"show one message of {self.sizes.many}", seconds(spent["notmuch"]), "", seconds(spent["mirror"]),
                     f"{spent['mirror'] / spent['notmuch']:.3f}", "≤ 30 ms", holds=spent["mirror"] <= 0.03))

    def relevance(self, mirror, word):
        """The dearest search: a word that nearly every message has. Neither peer orders by relevance."""
        kinds = (("by relevance, first 50", ["--sort", "relevance", "--limit", "50"], 0.2),
                 ("--count", ["--count"], 0.06))
        taken = {}
        for _ in range(self.sizes.repeats):
            for kind, options, _ in kinds:
                command = [mirror.binary, "search", "--root", mirror.root, *options, "--", word]
                self.sample(taken, kind, mirror, command)
        for kind, _, limit in kinds:
            spent = median(taken[kind])
            self.add(Row(f"a word of nearly all {self.sizes.many}, {kind}", mirror=seconds(spent),
                         budget=f"≤ {limit * 1000:.0f} ms", holds=spent <= limit))

    def statistics(self, mirror):
        taken = {}
        for _ in range(self.sizes.repeats):
            self.sample(taken, "stats", mirror, mirror.stats_command())
        spent = median(taken["stats"])
        self.add(Row(f"stats of {self.sizes.many}", mirror=seconds(spent), budget="≤ 1 s", holds=spent <= 1))


def check_own_arithmetic():
    check_arithmetic()
    assert percentile(range(1, 101), 95) == 95 and percentile([5], 95) == 5 and percentile([1, 2, 3], 50) == 2
    three = {"notmuch": [10, 20, 30], "mu": [4, 4, 4], "mirror": [1, 1, 1]}
    row = ratio_row("a", three, str, 0.06, 0.2)
    assert (row.to_notmuch, row.to_mu, row.holds) == ("0.050", "0.250", False), row
    assert ratio_row("a", three, str, 0.06, 0.25).holds is True and ratio_row("a", three, str).holds is None
    worst = Bench.slowest("s", {"notmuch": {"x": [1, 1, 9], "y": [2]}, "mirror": {"x": [2, 2, 0], "y": [1]}})
    assert worst.holds is False and "(x)" in worst.name and worst.to_notmuch == "2.000", worst


def run(here, what, options):
    check_own_arithmetic()
    sizes = dataclasses.replace(SMALL if options.small else Sizes())
    sizes.rounds = options.pairs or sizes.rounds
    sizes.many = options.many or sizes.many
    binary = find_mirror_index(here)
    memory_disk = "/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()
    missed = []
    with contextlib.ExitStack() as stack:
        bench = Bench(binary, stack.enter_context(
            tempfile.TemporaryDirectory(prefix="mirror-bench-", dir=memory_disk)), sizes, options)
        for kind in what:
            bench.rows = []
            print(f"{kind}:", flush=True)
            if kind == "index":
                bench.first_index()
                bench.many_folders()
                if bench.wants("in many") or bench.wants("update"):
                    bench.updates()
            else:
                bench.searches()
            text = (f"{machine(binary, (('notmuch', '--version'), ('mu', '--version'), ('sqlite3', '--version')))}\n"
                    f"{NOTE}medians of {sizes.rounds} rounds, of {sizes.updates} updates, of {sizes.repeats} runs of "
                    f"each query; ratios are medians of each round's\n\n{table(bench.rows, HEADS)}\n")
            print("\n" + text)
            if not bench.rows and not options.rows:
                raise RuntimeError(f"nothing was measured of {kind}")
            missed += [row.name for row in bench.rows if row.holds is False]
            if not (options.small or options.rows or options.many):
                (here / "results").mkdir(exist_ok=True)
                (here / f"results/bench-{kind}.txt").write_text(text)
    if options.small:
        print("counts and hits agree, arithmetic checked; with so few messages no budget is judged")
        return 0
    if missed:
        print("over budget: " + "; ".join(missed))
    return 1 if missed else 0
