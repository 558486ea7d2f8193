# root
stepcast run --edge tests/golden/data/edge-devices.csv --json
