# root
stepcast optimise tests/golden/data/job.csv --edit "scale rank=2 work=compute by=2/3" --no-search
