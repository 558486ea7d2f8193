# exit 2
stepcast edge devices.csv --json
