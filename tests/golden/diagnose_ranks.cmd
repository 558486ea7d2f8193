# root
stepcast diagnose tests/golden/data/ranks
