# exit 4
# root
stepcast gate tests/golden/data/results-after.json --baseline tests/golden/data/results-before.json --max-slowdown 2%
