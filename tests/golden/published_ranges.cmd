# root
scripts/published ranges --program stepcast
