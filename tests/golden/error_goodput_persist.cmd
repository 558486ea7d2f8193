# exit 2
stepcast goodput --mtbf 3h --checkpoint 30s --persist 1h --interval 10min --restart 10min
