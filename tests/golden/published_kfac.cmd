# root
scripts/published kfac --program stepcast traces/published/kfac/resnet50-64-gpus.json
