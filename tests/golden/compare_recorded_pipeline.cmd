# copy data/pipeline.csv
# copy data/pipeline-job.json
stepcast diagnose pipeline.csv --job pipeline-job.json --workload mine.json --slow-downs mine.csv > /dev/null && stepcast compare --workload ./mine.json --cluster dgx-a100 --nodes 1,2 --slow recorded:file=mine.csv
