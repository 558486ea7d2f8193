stepcast run --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --nodes 4 --fidelity analytic --schedule hop --set staleness=5 --set max_gap=0 --verbose | sed -n '/^Notes/,/^Inputs/p'
