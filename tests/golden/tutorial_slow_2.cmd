# root
stepcast replay tests/golden/data/small-trace.json --without all-reduce
