stepcast derive cluster --from rtx2080ti-16x4-10gbe --nodes 8 --nic 25Gbps -o my-cluster.json
