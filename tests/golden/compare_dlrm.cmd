stepcast compare --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-ib100 --schedules dlrm --set tables=100 --set rows=4e6 --set dimension=128 --set keep=1,0.5,0.25 --fidelity analytic
