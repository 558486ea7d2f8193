# before stepcast derive cluster --from rtx2080ti-16x4-10gbe --nodes 8 --nic 25Gbps -o my-cluster.json
stepcast run --workload resnet50-rtx2080ti-bs64 --cluster my-cluster.json --schedule ddp
