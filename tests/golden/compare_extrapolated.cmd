stepcast compare --workload resnet50-v100-bs96 --cluster v100-32x4-edr --schedules ddp,dear --nodes 8,16,32 --across nodes
