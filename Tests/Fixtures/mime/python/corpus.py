#!/usr/bin/env python3
"""corpus.py LIST: for each path in the file LIST, one line of JSON: what Python reads in that message.

A message that Python can't read at all gets `null`.
"""

import email
import email.policy
import json
import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from reading import answer, description  # noqa: E402

warnings.simplefilter("ignore")
sys.setrecursionlimit(5000)
for path in pathlib.Path(sys.argv[1]).read_text().splitlines():
    data = pathlib.Path(path).read_bytes()
    read = answer(lambda: description(email.message_from_bytes(data, policy=email.policy.default)))
    print(json.dumps(read, ensure_ascii=True))
