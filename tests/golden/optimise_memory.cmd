# root
stepcast optimise tests/golden/data/ranks --memory 10GiB --holds total=14GiB,activations=9GiB,recomputed=2GiB --no-search
