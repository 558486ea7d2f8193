# root
stepcast diagnose tests/golden/data/job-mended.csv --against tests/golden/data/job.csv
