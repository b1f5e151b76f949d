"""Generated mail like a mailing list's: the same seed gives the same bytes."""

import base64
import email.utils
import math
import random

CONSONANTS, VOWELS = "bcdfghjklmnprstvwz", "aeiou"


class SampleMail:
    """Bodies are cut from one long text, so a million messages take seconds to make."""

    def __init__(self, seed=1, median=2300, attachments=0.038, html=0.0):
        """`html`: the share of messages that are HTML alone; half as many again have both forms of their text."""
        self.random = r = random.Random(seed)
        self.median, self.attachments, self.html = median, attachments, html
        words = ["".join(r.choice(CONSONANTS) + r.choice(VOWELS) for _ in range(r.randint(1, 4)))
                 for _ in range(8000)]
        self.words = words
        lines, line = [], ""
        for _ in range(120_000):
            word = words[int(len(words) ** r.random()) - 1]
            if len(line) + len(word) > 71:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
            if r.random() < 0.01:
                lines += [line, ""]
                line = ""
        self.text = "\r\n".join(lines).encode()
        self.noise = base64.encodebytes(r.randbytes(3_000_000)).replace(b"\n", b"\r\n")
        self.people = [(f"{r.choice(words).title()} {r.choice(words).title()}",
                        f"{r.choice(words)}.{r.choice(words)}@{r.choice(words)}.example") for _ in range(400)]
        self.recent = []

    def cut(self, source, size):
        size = min(size, len(source) // 2)
        start = source.index(b"\r\n", self.random.randrange(len(source) - size - 4000)) + 2
        return source[start:source.index(b"\r\n", start + size) + 2]

    def header(self, number, date):
        r = self.random
        name, address = r.choice(self.people)
        identity = f"<{number}.{r.getrandbits(48):x}@{r.choice(self.words)}.example>"
        references, subject = [], " ".join(r.choices(self.words, k=r.randint(2, 7)))
        if self.recent and r.random() < 0.6:
            parent, older, subject = r.choice(self.recent)
            references = (older + [parent])[-20:]
            subject = subject if subject.startswith("Re: ") else f"Re: {subject}"
        self.recent = self.recent[-199:] + [(identity, references, subject)]
        stamp = email.utils.formatdate(date)
        recipients = ", ".join(f"{n} <{a}>" for n, a in r.sample(self.people, r.choice((1, 1, 1, 2, 3))))
        lines = [
            f"Return-Path: <{address}>",
            f"Received: from mx{r.randint(1, 9)}.example (mx.example [192.0.2.{r.randint(1, 250)}])"
            f" by mail.example with ESMTPS id {r.getrandbits(40):x}; {stamp}",
            f"DKIM-Signature: v=1; a=rsa-sha256; d=example; s=s1; b={r.getrandbits(1000):x}"[:220],
            f"From: {name} <{address}>", f"To: {recipients}", f"Subject: {subject}", f"Date: {stamp}",
            f"Message-ID: {identity}", "MIME-Version: 1.0",
        ]
        if references:
            lines += [f"In-Reply-To: {references[-1]}", "References: " + "\r\n ".join(references)]
        return lines

    def message(self, number, date):
        r = self.random
        lines = self.header(number, date)
        body = self.cut(self.text, int(min(400_000, max(300, r.lognormvariate(math.log(self.median), 1)))))
        if r.random() < 0.25:
            body += b"\r\n<html><body><p>" + body + b"</p></body></html>\r\n"
        if r.random() < self.attachments:
            size = int(min(1_000_000, max(4000, r.lognormvariate(math.log(40_000), 1.3))))
            lines.append('Content-Type: multipart/mixed; boundary="part"')
            body = (b"--part\r\nContent-Type: text/plain\r\n\r\n" + body
                    + b"--part\r\nContent-Type: application/octet-stream\r\n"
                    b'Content-Disposition: attachment; filename="a.bin"\r\n'
                    b"Content-Transfer-Encoding: base64\r\n\r\n" + self.cut(self.noise, size) + b"--part--\r\n")
        elif self.html and (kind := r.random()) < 1.5 * self.html:
            page = self.page(body)
            if kind < self.html:
                lines.append("Content-Type: text/html; charset=utf-8")
                body = page
            else:
                lines.append('Content-Type: multipart/alternative; boundary="part"')
                body = (b"--part\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + body
                        + b"--part\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page + b"--part--\r\n")
        else:
            lines.append("Content-Type: text/plain; charset=utf-8")
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    def page(self, text):
        """The text as HTML of the kind that newsletters are made of."""
        style = "".join(
            f".c{self.random.getrandbits(16)} {{ margin: 0 auto; color: #333; font-size: {size}px }}\r\n"
            for size in range(9, 25))
        cells = text.replace(b"\r\n\r\n", b'</p></td></tr>\r\n<tr><td class="cell" style="padding:4px"><p>\r\n')
        return (b"<html><head><style>\r\n" + style.encode() + b"</style></head><body><table><tr><td><p>\r\n"
                + cells + b"</p></td></tr></table></body></html>\r\n")

    def run(self, count, start=1_577_836_800, span=5 * 365 * 86_400):
        """Yields (bytes, seconds, flags)."""
        for number in range(count):
            date = start + span * number // count
            flags = [flag for flag, share in (("\\Seen", 0.8), ("\\Flagged", 0.1), ("\\Answered", 0.2))
                     if self.random.random() < share]
            yield self.message(number, date), date, " ".join(flags)
