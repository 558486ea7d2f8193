# root
# exit 2
stepcast inspect tests/golden/data/cpu-legacy-trace.json
