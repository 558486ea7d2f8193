# exit 2
# copy ../../scripts/forecasts.py
# copy ../../scripts/placements
./placements --program stepcast
