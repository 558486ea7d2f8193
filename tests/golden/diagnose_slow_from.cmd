# root
stepcast diagnose tests/golden/data/job.csv --slow-from 3
