# exit 2
stepcast goodput --mtbf 3h --policy shrink --checkpoint 30s --restart 10min
