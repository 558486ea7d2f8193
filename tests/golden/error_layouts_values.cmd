# exit 2
# copy data/layouts.csv
sed -i "s/,4,4,1,full/,4,1,full/" layouts.csv; stepcast validate --cases layouts.csv
