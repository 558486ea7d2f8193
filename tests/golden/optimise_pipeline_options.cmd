stepcast optimise --workload transformer:model=gpt-22b,device=a100 --cluster dgx-a100 --nodes 8 --layout tp=8,pp=4 --schedule interleaved --fidelity analytic
