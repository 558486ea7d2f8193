# root
stepcast inspect tests/golden/data/small-trace.json
