# exit 2
# copy ../../scripts/placements
./placements --program stepcast
