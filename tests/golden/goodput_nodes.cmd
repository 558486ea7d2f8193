stepcast goodput --fail node:mtbf=256d,repair=24h --nodes 2048 --checkpoint 30s --restart 10min --seeds 50
