"""Writes generated mail as a Maildir tree: the same seed gives the same tree."""

import os
import pathlib

from samplemail import SampleMail

LETTERS = {"\\Flagged": "F", "\\Answered": "R", "\\Seen": "S"}


class MailTree:
    """An account `personal` with an INBOX and a folder for each of the years that the mail was sent in."""

    def __init__(self, root, count, seed=1, **options):
        self.root, self.count = pathlib.Path(root), count
        self.account = self.root / "personal"
        self.mail = SampleMail(seed, **options)
        self.bytes = 0
        self.folders = {}
        for number, (message, date, flags) in enumerate(self.mail.run(count)):
            self.deliver(self.folder(number, date), message, date, flags, number + 1)

    def folder(self, number, date):
        """Every fourth message is still in the INBOX."""
        return "INBOX" if number % 4 == 0 else f"Archive/{1970 + date // 31_556_952}"

    def deliver(self, folder, message, date, flags, number):
        """Puts one message where a pull would have put it; returns its path."""
        if folder not in self.folders:
            for part in ("cur", "new", "tmp"):
                (self.account / folder / part).mkdir(parents=True, exist_ok=True)
            self.folders[folder] = 0
        self.folders[folder] += 1
        letters = "".join(sorted(LETTERS[flag] for flag in flags.split()))
        name = f"{date}.{len(self.folders):016x}V1U{number}.personal"
        place = f"cur/{name}:2,{letters}" if letters else f"new/{name}"
        path = f"{self.account}/{folder}/{place}"
        data = message.replace(b"\r\n", b"\n")
        with open(path, "xb") as file:
            file.write(data)
        os.utime(path, (date, date))
        self.bytes += len(data)
        return path

    def one_more(self, number, folder="INBOX"):
        """Delivers a message that nothing else in the tree resembles; returns its path and a word of its own."""
        word = f"unheard{number}"
        date = 1_750_000_000 + number * 60
        header = self.mail.header(10_000_000 + number, date)
        text = "\r\n".join(header) + f"\r\n\r\nNews of {word}.\r\n"
        return self.deliver(folder, text.encode(), date, "", 10_000_000 + number), word

    def directories(self):
        return [path for path, _, _ in os.walk(self.root)]


class ListsTree(MailTree):
    """The same mail in many folders, as of one who reads mailing lists."""

    def __init__(self, root, count, folders, **options):
        self.lists = folders
        super().__init__(root, count, **options)

    def folder(self, number, date):
        return f"Lists/{number % self.lists}"
