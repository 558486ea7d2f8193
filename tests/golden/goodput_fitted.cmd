# copy data/faults.csv
stepcast goodput --faults faults.csv --servers 12 --days 30 --fitted --nodes 8 --spares 1 --policy wait --checkpoint 30s --restart 10min
