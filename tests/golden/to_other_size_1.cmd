# root
stepcast diagnose tests/golden/data/ranks --workload mine.json --slow-downs mine.csv
