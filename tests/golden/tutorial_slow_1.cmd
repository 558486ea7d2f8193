# root
stepcast diagnose tests/golden/data/small-trace.json
