# copy ../../scripts/forecasts.py
# copy ../../scripts/kfac_table
# copy ../../traces/published/kfac/resnet50-64-gpus.json
./kfac_table --program stepcast resnet50-64-gpus.json
