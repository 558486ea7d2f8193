stepcast collective --cluster rtx2080ti-16x4-10gbe --kind all-reduce --size 1MiB --gpus 8 --json
