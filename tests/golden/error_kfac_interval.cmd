# exit 2
stepcast run --workload resnet50-rtx2080ti-bs32 --cluster rtx2080ti-16x4-ib100 --schedule kaisa --set factor_interval=10 --set inverse_interval=25
