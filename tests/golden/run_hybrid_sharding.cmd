stepcast run --workload transformer:model=llama-2-7b,device=a100 --cluster dgx-a100 --nodes 4 --schedule 1f1b \
    --set zero=3 --set shard=8 --set recompute=full --set global_batch=64 --fidelity analytic --verbose
