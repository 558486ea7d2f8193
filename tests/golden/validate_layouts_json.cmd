# copy data/layouts.csv
stepcast validate --cases layouts.csv --json
