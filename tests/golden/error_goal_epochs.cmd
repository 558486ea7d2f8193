# exit 2
stepcast compare --epochs horovod=many --samples 1000 --workload resnet50-rtx2080ti-bs32 --cluster rtx2080ti-16x4-ib100
