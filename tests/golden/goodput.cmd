stepcast goodput --mtbf 3.1h --checkpoint 30s --restart 10min
