"""The show rows: pages made safe and pages as text, beside w3m; time a page and memory."""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from measure import Row, check_arithmetic, machine, median, table
from pullbench import find_mirror

MIB = 1 << 20
WORDS = "offer news summer winter member update week price free ship read more about account thanks team".split()


def newsletter(dice, number):
    """HTML as programs write it: tables in tables, a style on everything, pictures from afar, links that count."""
    def text(count):
        return " ".join(dice.choice(WORDS) for _ in range(count))
    rows = []
    for row in range(40):
        rows.append(
            f"<tr><td style=\"padding:12px 24px;font-family:Arial,sans-serif;font-size:14px;line-height:20px;"
            f"color:#333333;background-color:#fafafa\" align=left valign=top><table width=\"100%\" cellpadding=0 "
            f"cellspacing=0 border=0 role=presentation><tr><td width=120><a href=\"https://click.news.example/ls/"
            f"{dice.getrandbits(160):x}?utm_source=n{number}\"><img src=\"https://img.news.example/{row}.jpg\" width=120 "
            f"height=80 alt=\"{text(2)}\" style=\"display:block;border:0\"></a></td><td style=\"padding-left:16px\">"
            f"<h3 style=\"margin:0 0 8px\">{text(5)}</h3><p style=\"margin:0\">{text(40)}</p></td></tr></table></td></tr>")
    return (f"<!DOCTYPE html><html><head><style>.a{{color:red}}@media(max-width:600px){{.b{{width:100%}}}}</style></head>"
            f"<body bgcolor=\"#eeeeee\"><div style=\"display:none;max-height:0\">{text(12)}</div><table width=600 "
            f"align=center>{''.join(rows)}</table><img src=\"https://open.news.example/o/{dice.getrandbits(120):x}.gif\" "
            f"width=1 height=1></body></html>")


def make_tree(root, count):
    folder = root / "personal" / "INBOX"
    for level in ("cur", "new", "tmp"):
        (folder / level).mkdir(parents=True)
    dice = random.Random(7)
    for number in range(count):
        date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(1_700_000_000 + number * 60))
        (folder / "cur" / f"{number}.bench:2,S").write_text(
            f"From: News <news@news.example>\nTo: me@home.example\nSubject: Letter {number}\nMessage-ID: <{number}@x>\n"
            f"Date: {date}\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n{newsletter(dice, number)}\n")
    return folder / "cur"


def measured(command, **more):
    """Seconds, and the peak of memory in bytes."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **more)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"contrib/bench: {command} ended with {status}")
    return time.perf_counter() - begun, used.ru_maxrss * 1024


def run(here, options):
    check_arithmetic()
    mirror = find_mirror(here)
    index = str(pathlib.Path(mirror).parent / "mirror-index")
    w3m = shutil.which("w3m")
    count, rounds = (50, 1) if options.small else (500, 5)
    with tempfile.TemporaryDirectory(prefix="showbench-") as place:
        root = pathlib.Path(place)
        mails = make_tree(root, count)
        subprocess.run([index, "update", "-q", "--root", place], check=True)
        begin = median([measured([index, "--version"])[0] for _ in range(rounds * 3)])
        pages, texts, memory, ours, theirs = [], [], [], [], []
        for _ in range(rounds):
            for start in range(0, count, 25):
                words = " or ".join(f"id:{number}@x" for number in range(start, start + 25))
                taken, peak = measured([index, "show", "--html", "--root", place, words])
                pages.append((taken - begin) / 25)
                memory.append(peak)
                taken, peak = measured([index, "show", "--root", place, words])
                texts.append((taken - begin) / 25)
                memory.append(peak)
        bodies = []
        for mail in sorted(mails.iterdir())[:50]:
            body = root / (mail.name + ".html")
            body.write_text(mail.read_text().split("\n\n", 1)[1])
            bodies.append(body)
        for body in bodies:
            with open(body, "rb") as file:
                ours.append(measured([index, "show", "--part", "-", "--text"], stdin=file)[0])
            if w3m:
                theirs.append(measured([w3m, "-dump", "-T", "text/html", str(body)])[0])
        size = sum(body.stat().st_size for body in bodies) / len(bodies) / 1000
    page, text, peak = sum(pages) / len(pages), sum(texts) / len(texts), max(memory)
    rows = [
        Row("a message as a page, 25 in a run", "", f"{page * 1000:.2f} ms", "", "≤ 5 ms", page <= 0.005),
        Row("a message as text, 25 in a run", "", f"{text * 1000:.2f} ms", "", "", None),
        Row("peak memory", "", f"{peak / MIB:.1f} MiB", "", "≤ 64 MiB", peak <= 64 * MIB),
        Row("a filter's run over one page", f"{median(theirs) * 1000:.1f} ms" if theirs else "", f"{median(ours) * 1000:.1f} ms",
            f"{median(ours) / median(theirs):.2f}" if theirs else "", "", None),
    ]
    others = ((w3m, "-version"),) if w3m else ()
    report = "\n".join([machine(mirror, others=others),
                        f"{count} newsletters of {size:.0f} kB; {rounds} rounds; time a message without the program's start", "",
                        table(rows, heads=("", "w3m -dump", "mirror-index", "ratio", "budget", "kept"))])
    print(report)
    if options.small:
        return 0
    (here / "results" / "bench-show.txt").write_text(report + "\n")
    return 0 if all(row.holds is not False for row in rows) else 1
