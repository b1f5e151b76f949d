"""The show rows: pages made safe and pages as text, beside w3m; time a page, memory, and words that are missing."""

import collections
import email
import html.parser
import os
import pathlib
import random
import re
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
    """Seconds of CPU, which other work on the machine changes least, and the peak of memory in bytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **more)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"contrib/bench: {command} ended with {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


class WithoutControls(html.parser.HTMLParser):
    """A page whose images are their words and that has no form fields: w3m draws names of files and boxes for these."""

    void = {"img", "input", "isindex", "bgsound", "embed"}
    whole = {"select", "textarea", "option"}

    def __init__(self):
        super().__init__(convert_charrefs=False)
        self.out, self.depth = [], 0

    def handle_starttag(self, tag, attributes):
        if tag in self.whole:
            self.depth += tag != "option"
        elif tag == "img":
            words = next((value for name, value in attributes if name == "alt" and value), "")
            self.out.append(f" {html.escape(words)} ")
        elif tag not in self.void and not self.depth:
            self.out.append(re.sub(r"(?i)\bbackground\s*=", "data-ground=", self.get_starttag_text()))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        if tag in self.whole:
            self.depth = max(0, self.depth - (tag != "option"))
        elif not self.depth:
            self.out.append(f"</{tag}>")

    def handle_data(self, data):
        if not self.depth:
            self.out.append(data)

    def handle_entityref(self, name):
        self.handle_data(f"&{name};")

    def handle_charref(self, name):
        self.handle_data(f"&#{name};")

    def handle_decl(self, declaration):
        self.out.append(f"<!{declaration}>")


def pages_of(tree, count):
    """The HTML parts of a tree's mail, in UTF-8: the first `count` of at least 1,500 letters, by a die that falls alike."""
    found = []
    files = sorted(path for path in pathlib.Path(tree).rglob("*") if path.parent.name in ("cur", "new"))
    random.Random(5).shuffle(files)
    for file in files:
        raw = file.read_bytes()
        if b"text/html" not in raw.lower():
            continue
        for part in email.message_from_bytes(raw).walk():
            if part.get_content_type() != "text/html" or part.get_filename():
                continue
            content = part.get_payload(decode=True) or b""
            try:
                page = content.decode(part.get_content_charset() or "utf-8")
            except (LookupError, UnicodeDecodeError):
                page = content.decode("latin-1")
            if len(page) >= 1500:
                found.append(re.sub(r"(?i)charset=[^\s\"'>;]+", "charset=utf-8", page))
            break
        if len(found) == count:
            break
    return found


def words(text):
    return collections.Counter(word.lower() for word in re.findall(r"[^\W_]{2,}", text))


def missing_words(pages, index, w3m, place):
    """How many words w3m prints of these pages, and how many of them are missing in ours."""
    body = place / "compared.html"
    total = missing = 0
    for page in pages:
        reader = WithoutControls()
        reader.feed(page)
        reader.close()
        body.write_text("".join(reader.out))
        theirs = subprocess.run([w3m, "-dump", "-T", "text/html", "-I", "utf-8", "-O", "utf-8", "-cols", "100", str(body)],
                                check=True, capture_output=True).stdout.decode(errors="replace")
        body.write_text(page)
        with open(body, "rb") as file:
            ours = subprocess.run([index, "show", "--part", "-", "--text", "--charset", "utf-8"], stdin=file,
                                  check=True, capture_output=True).stdout.decode(errors="replace")
        expected = words(theirs)
        total += sum(expected.values())
        missing += sum((expected - words(ours)).values())
    return total, missing


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
        compared = [body.read_text() for body in bodies]
        real = pages_of(options.mail, count) if options.mail else []
        counts = [missing_words(pages, index, w3m, root) for pages in (compared, real) if w3m and pages]
        size = sum(body.stat().st_size for body in bodies) / len(bodies) / 1000
    page, text, peak = sum(pages) / len(pages), sum(texts) / len(texts), max(memory)
    rows = [
        Row("a message as a page, 25 in a run", "", f"{page * 1000:.2f} ms", "", "≤ 5 ms", page <= 0.005),
        Row("a message as text, 25 in a run", "", f"{text * 1000:.2f} ms", "", "", None),
        Row("peak memory", "", f"{peak / MIB:.1f} MiB", "", "≤ 64 MiB", peak <= 64 * MIB),
        Row("a filter's run over one page", f"{median(theirs) * 1000:.1f} ms" if theirs else "", f"{median(ours) * 1000:.1f} ms",
            f"{median(ours) / median(theirs):.2f}" if theirs else "", "", None),
    ]
    for (total, missing), name in zip(counts, (f"words of {len(compared)} pages", f"words of {len(real)} pages of real mail")):
        rows.append(Row(name, f"{total}", f"{missing} missing", f"{missing / total:.4f}", "", None))
    others = ((w3m, "-version"),) if w3m else ()
    report = "\n".join([machine(mirror, others=others),
                        f"{count} newsletters of {size:.0f} kB; {rounds} rounds; CPU time, of a message without the program's start",
                        "words: that w3m prints; what a browser hides counts as missing in ours", "",
                        table(rows, heads=("", "w3m -dump", "mirror-index", "ratio", "budget", "kept"))])
    print(report)
    if options.small:
        return 0
    (here / "results" / "bench-show.txt").write_text(report + "\n")
    return 0 if all(row.holds is not False for row in rows) else 1
