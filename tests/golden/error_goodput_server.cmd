# exit 2
# copy data/faults.csv
stepcast goodput --faults faults.csv --servers 6 --checkpoint 30s --restart 10min
