stepcast compare --workload densenet201-rtx2080ti-bs32 --cluster rtx2080ti-16x4-10gbe --preset horovod-icdcs23,dear-icdcs23 --fidelity analytic
