# copy data/pipeline.csv
# copy data/pipeline-job.json
stepcast diagnose pipeline.csv --job pipeline-job.json --workload mine.json > /dev/null && stepcast plan --workload ./mine.json --cluster dgx-a100 --gpus 8,16
