# root
stepcast diagnose tests/golden/data/job.csv --against tests/golden/data/ranks
