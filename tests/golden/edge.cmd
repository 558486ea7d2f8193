# root
stepcast edge tests/golden/data/edge-devices.csv
