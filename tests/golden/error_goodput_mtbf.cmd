# exit 2
stepcast goodput --mtbf 1s --checkpoint 30s --restart 10min
