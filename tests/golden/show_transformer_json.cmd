stepcast show transformer:model=vit-h-14,layers=40 --json
