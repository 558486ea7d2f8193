# copy data/cases-one-unknown-sharding.csv
stepcast validate --cases cases-one-unknown-sharding.csv
