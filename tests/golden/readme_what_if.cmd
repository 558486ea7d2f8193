stepcast compare --workload bert-base-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --nodes 8 --set cluster.nic.bandwidth=25Gbps --set straggler.3=1.2
