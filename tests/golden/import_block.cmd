# copy data/small-trace.json
stepcast import small-trace.json --device a100 --block hidden=1024,heads=16,seq=512,micro_batch=2,blocks=2
