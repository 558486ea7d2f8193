# exit 2
stepcast run --workload vgg16-pipedream-bs128 --cluster rtx2080ti-16x4-10gbe --schedule gtopk
