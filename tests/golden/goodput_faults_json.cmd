# copy data/faults.csv
stepcast goodput --faults faults.csv --servers 12 --days 30 --nodes 8 --spares 1 --checkpoint 30s --restart 10min --json
