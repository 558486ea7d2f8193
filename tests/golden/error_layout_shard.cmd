# exit 2
stepcast run --workload transformer:model=mixtral-8x7b,device=a100 --cluster dgx-a100 --nodes 2 --layout tp=1,ep=8 \
    --schedule 1f1b --set zero=1 --set shard=4
