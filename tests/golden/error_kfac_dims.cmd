# exit 2
# copy ../../traces/workloads/resnet50-rtx2080ti-bs32.json
sed -i 's/"a": 147,/"a": 0,/' resnet50-rtx2080ti-bs32.json; stepcast run --workload resnet50-rtx2080ti-bs32.json --cluster rtx2080ti-16x4-ib100 --schedule d-kfac
