stepcast compare --workload bert-large-rtx2080ti-bs32 --cluster rtx2080ti-16x4-ib100 --schedules ddp,horovod,dear
