# copy data/small-trace.json
# before mkdir profiles
# before mv small-trace.json profiles/rank0.json
# before sed -e 's/"rank": 0/"rank": 1/; s/"ts": \([56]\)/"ts": 100\1/; s/"ts": \(100[56]\)410, "dur": 70/"ts": \1440, "dur": 40/' profiles/rank0.json > profiles/rank1.json
stepcast inspect profiles --json
