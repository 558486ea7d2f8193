# root
# before stepcast diagnose tests/golden/data/ranks --workload mine.json
stepcast compare --workload ./mine.json --cluster rtx2080ti-16x4-10gbe --schedules ddp,dear --nodes 4,16
