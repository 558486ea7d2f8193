# copy data/cases-gated-by-name.csv
stepcast validate --cases cases-gated-by-name.csv --cluster dgx-h100
