# copy ../../scripts/forecasts.py
# copy ../../scripts/kfac_ranges
./kfac_ranges --program stepcast
