# copy data/megatron-dated.log
stepcast import megatron-dated.log --device a100 --block hidden=1024,heads=16,seq=512,micro_batch=4,micro_batches=8,blocks=24
