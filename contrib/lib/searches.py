"""Questions to put to notmuch, mu and mirror-index alike, in the words of each."""

import dataclasses


@dataclasses.dataclass
class Question:
    name: str
    mirror: str
    notmuch: str = ""
    mu: str = ""
    same: bool = True  # notmuch must find as many messages

    def __post_init__(self):
        self.notmuch = self.notmuch or self.mirror
        self.mu = self.mu or self.mirror


def questions(mail, account):
    """From words that the generator used often, sometimes and hardly ever.

    Words are quoted where a count is compared, because notmuch stems what is not.
    """
    common, often, sometimes, seldom = (mail.words[index] for index in (2, 40, 700, 6000))
    name, address = mail.people[7]
    first, last = name.split()
    line = mail.text.split(b"\r\n")[500].decode().split()
    phrase = " ".join(line[2:4])
    longer = " ".join(line[1:6])
    month = "2022-03-01..2022-03-31"
    return [
        Question("a common word", f'"{common}"'),
        Question("a frequent word", f'"{often}"'),
        Question("an occasional word", f'"{sometimes}"'),
        Question("a rare word", f'"{seldom}"'),
        Question("a word of nobody", "xyzzyplugh"),
        Question("two words", f'"{often}" "{sometimes}"', f'"{often}" and "{sometimes}"',
                 f'"{often}" and "{sometimes}"'),
        Question("three words", f'"{common}" "{often}" "{sometimes}"', f'"{common}" and "{often}" and "{sometimes}"',
                 f'"{common}" and "{often}" and "{sometimes}"'),
        Question("either word", f'"{sometimes}" or "{seldom}"'),
        Question("one without the other", f'"{sometimes}" and not "{often}"'),
        Question("a phrase", f'"{phrase}"'),
        Question("a long phrase", f'"{longer}"'),
        Question("a prefix", f"{seldom[:4]}*"),
        Question("a sender's name", f"from:{first}", same=False),
        Question("a sender's address", f"from:{address}"),
        Question("a recipient", f"to:{address}", same=False),  # notmuch's to: is also cc: and bcc:
        Question("a sender's word", f'from:{address} and "{often}"'),
        Question("a word of the subject", f'subject:"{often}"'),
        Question("a rare word of the subject", f'subject:"{seldom}"'),
        Question("a month", f"date:{month}"),
        Question("a word in a month", f'"{often}" and date:{month}'),
        Question("flagged", "is:flagged", mu="flag:flagged"),
        Question("unread", "is:unread", mu="flag:unread"),
        Question("unread with a word", f'is:unread and "{often}"', mu=f'flag:unread and "{often}"'),
        Question("a folder", "folder:personal/Archive/2021", "folder:personal/Archive/2021",
                 "maildir:/personal/Archive/2021"),
        Question("a folder's word", f'folder:personal/Archive/2021 and "{often}"',
                 f'folder:personal/Archive/2021 and "{often}"', f'maildir:/personal/Archive/2021 and "{often}"'),
        Question("everything of a person", f'from:{address} or to:{address} or "{last}"', same=False),
        Question("everything", "*", mu='""'),
    ]
