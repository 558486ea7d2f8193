# exit 2
# root
scripts/published placements --program stepcast
