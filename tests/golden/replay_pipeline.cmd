# root
stepcast replay tests/golden/data/pipeline.csv --job tests/golden/data/pipeline-job.json --cluster dgx-a100 --ranks 16
