stepcast run --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedule dear \
    --set cluster.overlap.compute_slowdown=0 --set cluster.overlap.communication_slowdown=0 --export-plan dear.json
