# root
# exit 2
stepcast diagnose tests/golden/data/job-bad-time.csv
