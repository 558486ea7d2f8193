# exit 2
stepcast edge --json devices.csv
