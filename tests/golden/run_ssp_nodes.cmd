stepcast run --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --nodes 4 --schedule ssp --verbose | sed -n '/^- servers=nodes/,/nodes[.]$/p'
