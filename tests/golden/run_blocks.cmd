# copy data/small-trace.json
# before stepcast import small-trace.json --device a100 --block hidden=1024,heads=16,seq=512,micro_batch=2 -o block.json
stepcast run --workload transformer:layers=4,hidden=1024,heads=16,seq=512,vocab=1000,device=a100,blocks=block.json --cluster dgx-a100 --nodes 1 --layout pp=4 --schedule 1f1b --set global_batch=32 --verbose
