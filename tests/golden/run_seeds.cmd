stepcast run --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --nodes 4 --fidelity analytic --schedule dear --slow bernoulli:factor=6,p=1/16 --seeds 80
