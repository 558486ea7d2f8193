# root
scripts/published placements --program stepcast --data tests/data/placements
