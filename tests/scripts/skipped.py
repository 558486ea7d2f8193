#!/usr/bin/env python3
"""Prints why tests were skipped, a line for each reason. Usage: skipped.py RESULTS.xml (of ctest --output-junit)"""
import collections
import re
import sys
import xml.etree.ElementTree


def short(reason):
    return re.sub(r"^\"?.*/(?=shared/)", "../", reason.strip())


def skips(case):
    """Names and reasons. GoogleTest prints "FILE:LINE: Skipped", the reason and "[  SKIPPED ] NAME" among other tests of a program; our
    scripts print "skipped: REASON"."""
    output = case.findtext("system-out") or ""
    for why, name in re.findall(r": Skipped\n(.+)\n\s*\[  SKIPPED \] (\S+)", output):
        yield name, short(why)
    if case.find("skipped") is not None:
        found = re.search(r"[Ss]kipped: (.+)", output)
        yield case.get("name"), short(found[1]) if found else "no reason given"


def main():
    skipped = collections.defaultdict(list)
    for case in xml.etree.ElementTree.parse(sys.argv[1]).iter("testcase"):
        for name, why in skips(case):
            skipped[why].append(name)
    for why, names in sorted(skipped.items()):
        print(f"Skipped {len(names)}, such as {names[0]}: {why}")


main()
