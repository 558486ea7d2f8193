stepcast compare --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedules dear --nodes 4,16 --set fusion_buffer=5MiB,25MiB
