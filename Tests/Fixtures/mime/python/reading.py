"""What Python's email package (policy `default`) makes of a message, as JSON for our parser to be held against.

A value of None says that Python has no answer: a charset it does not know, bytes it could not decode, a header that
made it stop. Nothing is compared then. `file` and `disposition` may be None, so they are left out where Python has no
answer.
"""

import email.header
import email.utils
import zlib

DESCENDED = ("message/rfc822", "message/global")


def answer(function, *arguments):
    """The value, or None where Python stops at it."""
    try:
        return function(*arguments)
    except Exception:  # any of a dozen kinds: the package was not made for broken mail
        return None


def clean(text):
    """Text that Python decoded for certain: no replacement characters, no bytes carried over as surrogates."""
    if text is None or "\N{REPLACEMENT CHARACTER}" in text or any("\ud800" <= c <= "\udfff" for c in text):
        return None
    return text


def text_of(message, name):
    value = answer(lambda: message[name])
    return None if value is None else clean(str(value))


def addresses_of(message, name):
    value = answer(lambda: message[name])
    if value is None:
        return None
    pairs = answer(lambda: [[a.display_name, a.addr_spec] for a in value.addresses])
    for pair, comment in zip(pairs or [], comments_of(message, name, len(pairs or []))):
        pair[0] = pair[0] or comment
    if pairs is None or any(clean(part) is None for pair in pairs for part in pair):
        return None
    return pairs


def comments_of(message, name, count):
    """`alice@example.org (Alice)`: the older half of the package reads the comment as the name, the newer drops it.

    The names by the older half, if it finds as many addresses.
    """
    raw = next((str(value) for key, value in message.raw_items() if key.lower() == name), "")
    pairs = answer(email.utils.getaddresses, [raw]) if "(" in raw else None
    if pairs is None or len(pairs) != count:
        return [""] * count
    return [answer(lambda: str(email.header.make_header(email.header.decode_header(comment)))) or ""
            for comment, _ in pairs]


def seconds_of(message):
    """A year Python can't count in is no answer."""
    value = answer(lambda: message["date"])
    moment = getattr(value, "datetime", None)
    return None if moment is None else answer(lambda: int(moment.timestamp()))


def headers_of(message):
    return {
        "subject": text_of(message, "subject"), "date": seconds_of(message),
        "messageID": (text_of(message, "message-id") or "").strip(" <>") or None,
        "from": addresses_of(message, "from"), "to": addresses_of(message, "to"),
        "cc": addresses_of(message, "cc"),
    }


def parts_of(message):
    """Every part in document order with its parent's place and its IMAP section (RFC 9051 section 6.4.5)."""
    found = []

    def visit(part, parent, section, prefix):
        """`prefix` is what the sections of a multipart's children begin with."""
        kind = part.get_content_type()
        entry = {"type": kind, "parent": parent, "section": section, "text": None, "size": None, "crc": None}
        for name, function in (("disposition", part.get_content_disposition), ("file", part.get_filename)):
            value = answer(lambda: [function()])
            if value and (value[0] is None or clean(value[0]) is not None):
                entry[name] = value[0]
        place = len(found)
        found.append(entry)
        if kind.startswith("multipart/") and part.is_multipart():
            for number, child in enumerate(part.get_payload(), 1):
                descend(child, place, f"{prefix}{number}")
        elif kind in DESCENDED and part.is_multipart():
            inner = part.get_payload(0)
            if inner.get_content_maintype() == "multipart" and inner.is_multipart():
                visit(inner, place, None, f"{section}.")
            else:
                descend(inner, place, f"{section}.1")
        elif kind.startswith("message/"):
            pass
        else:
            content(part, entry)

    def descend(part, parent, section):
        visit(part, parent, section, f"{section}.")

    if message.get_content_maintype() == "multipart" and message.is_multipart():
        visit(message, None, "", "")
    else:
        descend(message, None, "1")
    return found


def content(part, entry):
    if entry["type"].startswith("text/"):
        text = clean(answer(decoded, part))
        entry["text"] = None if text is None else text.replace("\r\n", "\n")
    else:
        data = answer(part.get_payload, None, True)
        if data is not None:
            entry["size"], entry["crc"] = len(data), zlib.crc32(data)


def decoded(part):
    if hasattr(part, "get_content"):
        return part.get_content()
    return part.get_payload(decode=True).decode(part.get_content_charset())


def description(message):
    return {"headers": headers_of(message), "parts": parts_of(message)}
