# copy data/layouts.csv
stepcast validate --cases layouts.csv --cluster dgx-a100
