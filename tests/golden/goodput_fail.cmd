stepcast goodput --fail node:mtbf=22d,frailty=0.56,repair=24h,sigma=2 --fail link:mtbf=50d,share=0.5,repair=6h --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe \
  --schedule ddp --fidelity analytic --nodes 4 --policy shrink --spares auto --samples 1e9 --price 2 --checkpoint 30s --persist 5min --restart 10min --seeds 50 --figure run.svg && head -c 4 run.svg
