# root
stepcast diagnose tests/golden/data/job.csv
