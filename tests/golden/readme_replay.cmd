# root
stepcast replay tests/golden/data/small-trace.json --device-speed 0.5
