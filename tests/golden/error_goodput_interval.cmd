# exit 2
stepcast goodput --mtbf 3h --interval 1e-15s --checkpoint 30s --restart 10min
