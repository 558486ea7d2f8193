# exit 2
stepcast goodput --mtbf 3h --seeds 1000000000 --checkpoint 30s --restart 10min
