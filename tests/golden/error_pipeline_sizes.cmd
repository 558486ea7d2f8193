# exit 2
# copy data/pipeline.csv
stepcast diagnose pipeline.csv --workload mine.json > /dev/null
