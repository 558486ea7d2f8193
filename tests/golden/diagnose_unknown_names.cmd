# root
stepcast diagnose tests/golden/data/job-grads-sync.csv
