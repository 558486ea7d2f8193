# copy ../../scripts/forecasts.py
# copy ../../scripts/placements
# copy ../data/placements/imagenet_placements.csv
# copy ../data/placements/cifar10_placements.csv
# copy ../data/placements/ncf_placements.csv
./placements --program stepcast --data .
