stepcast compare --workload bert-base-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedules ddp,dear --nodes 2,4,8,16,32 --across nodes
