stepcast goodput --fail node:mtbf=256d,repair=24h --checkpoint 30s --restart 10min
