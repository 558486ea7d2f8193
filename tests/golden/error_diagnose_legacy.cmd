# root
# exit 2
stepcast diagnose tests/golden/data/cpu-legacy-trace.json
