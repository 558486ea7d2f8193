stepcast compare --workload bert-large-rtx2080ti-bs32 --cluster rtx2080ti-16x4-10gbe --schedules 1f1b --layout pp=4 --set exchange=megatron,ddp,dear,powersgd
