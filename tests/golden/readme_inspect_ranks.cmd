# root
stepcast inspect tests/golden/data/ranks
