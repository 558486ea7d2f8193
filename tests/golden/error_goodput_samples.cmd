# exit 2
stepcast goodput --mtbf 3h --samples 1e9 --checkpoint 30s --restart 10min
