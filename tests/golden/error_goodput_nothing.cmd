# exit 2
stepcast goodput --checkpoint 30s --restart 10min
