# exit 2
stepcast goodput --fail node:mtbf=10d --policy shrnk --checkpoint 30s --restart 10min
