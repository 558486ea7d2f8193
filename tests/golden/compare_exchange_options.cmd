stepcast compare --workload bert-large-rtx2080ti-bs32 --cluster rtx2080ti-16x4-10gbe --schedules ddp,1f1b --layout pp=4 --set exchange=dear --set fusion_buffer=1MiB,25MiB --fidelity analytic
