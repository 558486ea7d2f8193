# exit 2
# copy data/job.csv
stepcast diagnose job.csv --figure ranks.jpg
