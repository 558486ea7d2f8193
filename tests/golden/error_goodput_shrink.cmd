# exit 2
stepcast goodput --mtbf 3h --without-spare shrink --checkpoint 30s --restart 10min
