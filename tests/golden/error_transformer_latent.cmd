# exit 2
stepcast run --workload transformer:model=llama-2-7b,device=a100,q_rank=8 --cluster dgx-a100 --schedule 1f1b
