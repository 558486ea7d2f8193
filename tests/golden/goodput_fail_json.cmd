stepcast goodput --fail switch:nodes=2,mtbf=40d,repair=2h --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedule ddp --fidelity analytic --nodes 4 \
  --policy drop --reconfigure 1min --spares auto --slow lognormal:sigma=0.1 --samples 1e9 --price 2 --checkpoint 30s --restart 10min --seeds auto --json
