stepcast compare --workload bert-base-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedules ddp,horovod,mg-wfbp,dear
