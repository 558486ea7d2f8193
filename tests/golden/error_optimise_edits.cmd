# root
# exit 2
stepcast optimise tests/golden/data/job.csv --edits tests/golden/data/wrong-edits.json
