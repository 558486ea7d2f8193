stepcast goodput --mtbf 10min --checkpoint 20min --restart 10min
