# exit 2
stepcast goodput --mtbf 3h --length 0h --checkpoint 30s --restart 10min
