# exit 2
stepcast goodput --fail link:mtbf=10d,share=0.5,repair=1h --checkpoint 30s --restart 10min
