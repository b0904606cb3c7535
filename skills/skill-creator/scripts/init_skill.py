#!/usr/bin/env python3
"""Writes the skeleton of a skill into the user's skills folder, or nothing at all.

usage: init_skill.py NAME [--description TEXT]

The folder is COW_HOME/skills, by default ~/cow/skills. Prints the path of the new SKILL.md.
Exit 0: written. 1: refused, with one line on stderr. 2: wrong usage.
"""

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
MAX_NAME = 64
MAX_DESCRIPTION = 1024
DEFAULT_DESCRIPTION = "Says in one sentence what this skill does. Use when the user asks for it."

TEMPLATE = """---
name: {name}
description: {description}
---

# {title}

## Steps

1. The first thing to do, and with which tool.
2. The next thing.

## Check

How to see that it worked, and what to do when it did not.
"""


class Refused(Exception):
    """What is wrong, in one line."""


def skills_folder():
    home = os.environ.get("COW_HOME", "").strip()
    return (Path(home) if home else Path.home() / "cow").expanduser().absolute() / "skills"


def checked_name(name):
    if len(name) > MAX_NAME:
        raise Refused(f"the name has {len(name)} characters; at most {MAX_NAME} are allowed")
    if not NAME.fullmatch(name):
        raise Refused(f"the name {name!r} must be lower-case letters, digits and single hyphens between them")
    return name


def checked_description(text):
    text = " ".join(text.split())
    if not text:
        raise Refused("the description is empty")
    if any("\ud800" <= one <= "\udfff" for one in text):
        raise Refused("the description is not valid Unicode")
    if len(text) > MAX_DESCRIPTION:
        raise Refused(f"the description has {len(text)} characters; at most {MAX_DESCRIPTION} are allowed")
    return text


def create(root, name, description):
    target = root / name
    if os.path.lexists(target):
        raise Refused(f"{target} exists already")
    root.mkdir(parents=True, exist_ok=True)
    # The file is written under another name and moved into place, so that nobody sees half a skill.
    staging = Path(tempfile.mkdtemp(prefix=".new-skill-", dir=root))
    try:
        # A JSON string is a YAML string in double quotes: any description is valid.
        quoted = json.dumps(description, ensure_ascii=False)
        text = TEMPLATE.format(name=name, description=quoted, title=name.replace("-", " ").capitalize())
        with open(staging / "SKILL.md", "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        try:
            # Making the folder is what claims the name: it fails where another process was faster.
            target.mkdir()
        except FileExistsError:
            raise Refused(f"{target} exists already") from None
        try:
            os.replace(staging / "SKILL.md", target / "SKILL.md")
        except OSError:
            target.rmdir()
            raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return target / "SKILL.md"


def main():
    parser = argparse.ArgumentParser(description="Writes the skeleton of a skill.")
    parser.add_argument("name")
    parser.add_argument("--description", default=DEFAULT_DESCRIPTION)
    given = parser.parse_args()
    try:
        print(create(skills_folder(), checked_name(given.name), checked_description(given.description)))
    except Refused as reason:
        print(f"init_skill: {reason}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"init_skill: {error.filename or skills_folder()}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
