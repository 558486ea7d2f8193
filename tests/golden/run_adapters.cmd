stepcast run --workload resnet50-rtx2080ti-bs64 --cluster dgx-a100 --nodes 2 --schedule ddp --set cluster.nic.bandwidth=25Gbps
