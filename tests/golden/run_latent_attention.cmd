stepcast run --workload transformer:model=deepseek-v3,device=h100,batch=1 --cluster dgx-h100 --nodes 256 --layout pp=16,ep=64 \
    --schedule 1f1b --set global_batch=2048 --set zero=1 --set recompute=full --fidelity analytic --verbose
