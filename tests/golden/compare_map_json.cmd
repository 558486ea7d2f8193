stepcast compare --workload vgg16-rtx2080ti-bs32 --cluster rtx2080ti-16x4-10gbe --nodes 8 --schedules ddp,topk-allgather,topka2a --set density=0.01,0.1 \
    --map density --fidelity analytic --json | sed -n '/^  "boundaries"/,$p'
