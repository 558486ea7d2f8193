# exit 2
# copy data/cycle.order
stepcast run --workload transformer:model=gpt-3.6b,device=a100 --cluster dgx-a100 --nodes 2 --layout tp=8,pp=2 --schedule pipeline --set order=@cycle.order
