# exit 2
stepcast run --workload transformer:model=gpt-3.6b,device=k80 --cluster dgx-a100 --schedule bsp
