stepcast run --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --nodes 4 --fidelity analytic --schedule ad-psgd --slow rank=3,factor=5 --verbose \
  | sed -n '/^workers/,/^$/p'
