#!/usr/bin/env python3
"""Prints why tests were skipped, a line for each reason. Usage: skipped.py RESULTS.xml (of ctest --output-junit)"""
import collections
import re
import sys
import xml.etree.ElementTree


def reason(output):
    """GoogleTest prints "FILE:LINE: Skipped" and the reason below it; our scripts print "skipped: REASON"."""
    found = re.search(r": Skipped\n(.+)", output) or re.search(r"[Ss]kipped: (.+)", output)
    return re.sub(r"^\"?.*/(?=shared/)", "../", found[1].strip()) if found else "no reason given"


def main():
    skipped = collections.defaultdict(list)
    for case in xml.etree.ElementTree.parse(sys.argv[1]).iter("testcase"):
        if case.find("skipped") is not None:
            skipped[reason(case.findtext("system-out") or "")].append(case.get("name"))
    for why, names in sorted(skipped.items()):
        print(f"Skipped {len(names)}, such as {names[0]}: {why}")


main()
