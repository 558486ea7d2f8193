stepcast compare --workload vgg16-rtx2080ti-bs32 --cluster rtx2080ti-16x4-10gbe --nodes 8 \
    --schedules ddp,topk-allgather,topka2a,gtopk,ok-topk --set density=0.001,0.002,0.005,0.01,0.02,0.05,0.1,0.2,0.5 \
    --set cluster.nic.bandwidth=1Gbps,2.5Gbps,5Gbps,10Gbps,25Gbps,50Gbps,100Gbps --map density --fidelity analytic --figure map.svg
