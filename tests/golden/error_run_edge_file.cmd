# exit 2
stepcast run --edge no-such.csv
