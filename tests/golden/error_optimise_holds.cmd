# root
# exit 2
stepcast optimise tests/golden/data/ranks --memory 10GiB
