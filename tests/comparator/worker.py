"""Run the cases of a folder with the `auditor` that is on the path, and print each answer as a line of JSON.

It imports nothing of the tests: the older revision runs it, too.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import sys
from pathlib import Path

from auditor.cli import invoke


def answer(words: list[str]) -> dict[str, object]:
    """The exit code, and what stands on standard output: a document where it is one."""
    written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(written), contextlib.redirect_stderr(io.StringIO()):
        code = invoke(words)
    written.flush()
    text = written.buffer.getvalue().decode()  # type: ignore[attr-defined]
    try:
        return {"exit": code, "document": json.loads(text)}
    except ValueError:
        return {"exit": code}


def main() -> None:
    """One line a case: its answers, and the digests of the files that it left."""
    top = Path(sys.argv[1])
    for folder in sorted(top.iterdir()):
        if not folder.is_dir():
            continue
        os.chdir(folder)
        answers = [answer(words) for words in json.loads((top / f"{folder.name}.json").read_text())]
        files = {
            each.name: hashlib.sha256(each.read_bytes()).hexdigest()
            for each in sorted(folder.iterdir())
            if each.is_file()
        }
        sys.stdout.write(json.dumps({"case": folder.name, "answers": answers, "files": files}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
