stepcast collective --cluster rtx2080ti-16x4-10gbe --kind all-reduce --algorithm ring,double-binary-tree --size 1MiB,32MiB --gpus 8,64
