stepcast compare --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedules ddp,dear --nodes 4,16,64,256 --set global_batch=8192
