stepcast run --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-ib100 --schedule salient --set workers=8 --set sample=2.2s --set slice=300ms --set copy=60ms --verbose
