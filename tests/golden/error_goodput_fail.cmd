# exit 2
stepcast goodput --fail node:mtbf=10d,repiar=1h --checkpoint 30s --restart 10min
