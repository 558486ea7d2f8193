# exit 2
stepcast breakdown dear-64gpu-10gbe --schedule dear --protocol=ablation
