#!/usr/bin/env python3
"""trees.py SEED COUNT: builds random MIME trees with the email package and prints one line of JSON for each.

{"seed", "message": base64, "expected": as reading.py describes it}. The expectation is read from the tree as it was
built, before it became bytes; what Python itself does not read back from its bytes is left out (None), because then
its generator is at fault.
"""

import base64
import email
import email.charset
import email.headerregistry
import email.policy
import json
import pathlib
import random
import re
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from reading import answer, clean, description  # noqa: E402

from email.headerregistry import Address, Group  # noqa: E402
from email.message import EmailMessage, MIMEPart  # noqa: E402
from email.mime.multipart import MIMEMultipart  # noqa: E402
from email.mime.text import MIMEText  # noqa: E402

ALPHABETS = {
    "us-ascii": "The quick brown fox jumps over the lazy dog 0123456789 =?_=20 --- .,;:!\"'()<>@[]\\/&#%$*+-",
    "iso-8859-1": "àéîõü ÆØÅ ß ½ ¡¿ plain words as well ñ",
    "iso-8859-15": "€ Œuvre žš and plain",
    "iso-8859-2": "Zażółć gęślą jaźń łódź",
    "windows-1252": "“quotes” – dashes — € … plain",
    "windows-1251": "Съешь ещё этих мягких французских булок",
    "koi8-r": "Съешь ещё этих мягких булок да выпей чаю",
    "iso-8859-7": "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία",
    "windows-1255": "דג סקרן שט בים מאוכזב",
    "windows-1256": "نص حكيم له سر قاطع",
    "shift_jis": "いろはにほへと 日本語 カタカナ plain",
    "iso-2022-jp": "いろはにほへと 日本語 カタカナ plain",
    "euc-jp": "色は匂へど散りぬるを 日本語",
    "gb2312": "汉字简体中文 文字处理 plain",
    "gb18030": "汉字 繁體 中文字 plain",
    "big5": "繁體中文 漢字處理 plain",
    "euc-kr": "다람쥐 헌 쳇바퀴에 타고파 plain",
    "tis-620": "เป็นมนุษย์สุดประเสริฐ",
    "utf-8": "Ünïcödé — 日本語 русский עברית 👩‍👩‍👧 🏳️‍🌈 e\u0301 plain",
    "utf-16": "Ünïcödé 日本語 plain",
}
NAMES = ["report.pdf", "a b.txt", "weird \"quoted\" name.doc", "semi;colon.zip", "日本語のファイル.pdf", "ünïcode.png",
         "русское имя файла с пробелами.docx", "x" * 120 + ".bin", "ж" * 60 + ".jpg", "back\\slash.exe", "comma, dot..tar.gz",
         "percent%20sign.html", "it's.txt", "=?utf-8?q?no?=.txt", ".hidden", "no-extension", "emoji 🎉.gif", "a=b&c=d.js"]
BINARY = ["application/octet-stream", "image/png", "application/pdf", "audio/mpeg", "application/x-unheard-of",
          "application/ms-tnef", "font/woff2", "application/vnd.ms-excel"]
MULTIPART = ["mixed", "alternative", "related", "parallel", "report", "x-our-own"]


class Builder:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.policy = self.random.choice([email.policy.SMTP, email.policy.default, email.policy.default.clone(
            max_line_length=self.random.choice([40, 60, 100, 200, 900]))])
        self.left = self.random.choice([1, 2, 4, 8, 20])  # parts

    def words(self, charset="utf-8", most=12):
        alphabet = ALPHABETS[charset]
        pieces = []
        for _ in range(self.random.randint(1, most)):
            begin = self.random.randrange(len(alphabet))
            pieces.append(alphabet[begin:begin + self.random.randint(1, 12)].strip() or "w")
        return " ".join(pieces)

    def text(self, charset):
        lines = []
        for _ in range(self.random.choice([0, 1, 2, 5, 30])):
            kind = self.random.random()
            if kind < 0.1:
                lines.append("")
            elif kind < 0.15:
                lines.append("From the start of a line")
            elif kind < 0.2:
                lines.append(".")
            elif kind < 0.25:
                lines.append("--" + self.words("us-ascii", 2))
            elif kind < 0.3:
                lines.append(self.words(charset, 4) + self.random.choice([" ", "\t", "  "]))
            elif kind < 0.35:
                lines.append(self.words(charset, 200))
            else:
                lines.append(self.words(charset))
        return "\n".join(lines) + "\n" * self.random.choice([0, 1, 1, 1, 2])

    # Leaves.

    def leaf(self):
        kind = self.random.random()
        if kind < 0.5:
            return self.text_part()
        if kind < 0.6:
            return self.legacy_text()
        if kind < 0.72 and self.left > 0:
            return self.message_part()
        return self.binary_part()

    def text_part(self):
        part = MIMEPart(policy=self.policy)
        charset = self.random.choice(list(ALPHABETS))
        transfer = self.random.choice(["quoted-printable", "base64", "8bit", None])
        if charset.startswith("utf-16"):
            transfer = "base64"
        text = self.text(charset)
        options = {"subtype": self.random.choice(["plain", "html", "x-patch", "csv"]), "charset": charset}
        if answer(lambda: part.set_content(text, cte=transfer, **options) or True) is None:
            part = MIMEPart(policy=self.policy)
            part.set_content(text, cte="base64", **options)
        self.dress(part)
        return part

    def legacy_text(self):
        """The older classes make the older forms: `MIMEText` writes base64 in lines of 76."""
        charset = email.charset.Charset(self.random.choice(["utf-8", "iso-8859-1", "koi8-r", "us-ascii"]))
        charset.body_encoding = self.random.choice([email.charset.QP, email.charset.BASE64])
        text = self.text(charset.input_charset)
        part = MIMEText(text, self.random.choice(["plain", "html"]), charset, policy=self.policy)
        return part

    def binary_part(self):
        part = MIMEPart(policy=self.policy)
        main, sub = self.random.choice(BINARY).split("/")
        data = self.random.randbytes(self.random.choice([0, 1, 2, 3, 57, 58, 1000, 5000]))
        part.set_content(data, main, sub, cte=self.random.choice(["base64", "base64", "quoted-printable"]),
                         disposition=self.random.choice(["attachment", "inline"]),
                         filename=self.random.choice([*NAMES, self.words() + ".bin"]))
        if self.random.random() < 0.2:
            part["Content-ID"] = f"<{self.random.getrandbits(40):x}@x>"
        return part

    def message_part(self):
        inner = self.message(depth=2)
        part = MIMEPart(policy=self.policy)
        part.set_content(inner)
        return part

    def dress(self, part):
        if self.random.random() < 0.3:
            part.add_header("Content-Disposition", self.random.choice(["attachment", "inline"]),
                            filename=self.random.choice(NAMES))

    # Branches.

    def part(self, depth):
        self.left -= 1
        if self.left <= 0 or depth <= 0 or self.random.random() < 0.45:
            return self.leaf()
        return self.multipart(depth)

    def multipart(self, depth):
        part = MIMEMultipart(self.random.choice(MULTIPART), policy=self.policy)
        for _ in range(self.random.randint(1, 4)):
            part.attach(self.part(depth - 1))
        self.boundary(part, depth)
        return part

    def boundary(self, part, depth):
        """Boundaries that are prefixes of one another, long, or full of signs; else Python makes one."""
        kind = self.random.random()
        unique = f"{self.random.getrandbits(60):x}"
        if kind < 0.3:
            part.set_boundary("b" * 10 + "x" * (8 - depth) + self.trail(part))
        elif kind < 0.4:
            part.set_boundary(unique + "-" * (69 - len(unique)) + "=")
        elif kind < 0.6:
            part.set_boundary(f"{unique}'()+_,-./:=? {unique}")
        if self.random.random() < 0.2:
            part.preamble = "This is a message in MIME format.\n--not a boundary\n"
        if self.random.random() < 0.2:
            part.epilogue = "Nobody reads this.\n--\n"

    def trail(self, part):
        """What makes sisters differ; a child's boundary is longer than its parent's and begins with it."""
        self.counter = getattr(self, "counter", 0) + 1
        return f".{self.counter}" if self.random.random() < 0.5 else "-" * self.counter

    # Messages.

    def message(self, depth=4):
        body = self.part(depth)
        message = EmailMessage(policy=self.policy)
        for name, value in body.items():
            if name.lower() != "mime-version":
                message[name] = value
        message.set_payload(body.get_payload())
        message.preamble, message.epilogue = body.preamble, body.epilogue
        if body.get_charset():
            message.set_param("charset", str(body.get_charset()))
        self.head(message)
        return message

    def head(self, message):
        message["Subject"] = self.words(self.random.choice(list(ALPHABETS)), self.random.choice([1, 5, 30]))
        message["From"] = self.people(1)
        message["To"] = self.people(self.random.choice([1, 2, 20]))
        if self.random.random() < 0.3:
            message["Cc"] = [Group("undisclosed list", tuple(self.people(2))), *self.people(1)]
        message["Date"] = email.utils.format_datetime(email.utils.datetime.datetime.fromtimestamp(
            self.random.randrange(0, 4_000_000_000),
            email.utils.datetime.timezone(email.utils.datetime.timedelta(minutes=self.random.randrange(-720, 840, 15)))))
        message["Message-ID"] = f"<{self.random.getrandbits(64):x}.{self.random.getrandbits(20)}@tree.example>"

    def people(self, count):
        return tuple(
            Address(self.random.choice(["", self.words(self.random.choice(["us-ascii", "utf-8", "koi8-r"]), 3)]),
                    self.random.choice(["a.b", "x+y", "o'hara", "first.last", "q_1"]),
                    self.random.choice(["example.org", "mail.example", "a-b.example"]))
            for _ in range(count))


def leave_out_differences(built, parsed):
    """Takes every field out of the built expectation that Python does not read back from its own bytes."""
    left_out = 0
    for name, value in built["headers"].items():
        if parsed["headers"][name] != value:
            built["headers"][name] = None
            left_out += 1
    for here, there in zip(built["parts"], parsed["parts"]):
        for name in ("file", "disposition", "text", "size", "crc"):
            if name in here and (name not in there or here[name] != there[name]):
                left_out += 1
                del here[name]
    return left_out


def leave_out_miswritten_names(built, message):
    """Python splits long names into encoded words that lie on two lines, and reads the line break as a blank of the
    name; RFC 2047 section 6.2 says that there is none. And it writes the end of a group that lies on a folded line
    as the encoded word =3B, which reads as part of a name.
    """
    for name in ("from", "to", "cc"):
        if re.search(r"\?=\s+=\?|=\?utf-8\?q\?=3B\?=", message[name] or ""):
            built["headers"][name] = None


def same_shape(built, parsed):
    return [(p["type"], p["parent"]) for p in built["parts"]] == [(p["type"], p["parent"]) for p in parsed["parts"]]


def main():
    warnings.simplefilter("ignore")
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    refused = unlike = left_out = 0
    for number in range(seed, seed + count):
        builder = Builder(number)
        message = answer(builder.message)
        data = answer(message.as_bytes) if message is not None else None
        if data is None:
            refused += 1
            continue
        built = answer(description, message)
        parsed = answer(lambda: description(email.message_from_bytes(data, policy=email.policy.default)))
        if built is None or parsed is None or not same_shape(built, parsed):
            unlike += 1
            continue
        left_out += leave_out_differences(built, parsed)
        leave_out_miswritten_names(built, email.message_from_bytes(data))
        print(json.dumps({"seed": number, "message": base64.b64encode(data).decode(), "expected": built}))
    print(f"{count} trees: {refused} refused by the generator, {unlike} not read back, {left_out} fields left out",
          file=sys.stderr)


main()
