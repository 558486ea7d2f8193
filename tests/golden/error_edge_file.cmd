# exit 2
stepcast edge no-such.csv
