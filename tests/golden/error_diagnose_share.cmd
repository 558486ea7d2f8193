# root
# exit 2
stepcast diagnose tests/golden/data/job.csv --explained-from 2
