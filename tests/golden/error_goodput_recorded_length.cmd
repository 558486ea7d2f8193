# exit 2
# copy data/faults.csv
stepcast goodput --faults faults.csv --length 720h --checkpoint 30s --restart 10min
