# root
stepcast optimise tests/golden/data/ranks --edit mixed-precision
