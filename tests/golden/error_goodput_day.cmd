# exit 2
printf 'start_day,end_day,server\n1,1e30,3\n' > far.csv; stepcast goodput --faults far.csv --checkpoint 30s --restart 10min
