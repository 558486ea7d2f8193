# exit 2
# copy data/small-trace.json
# before head -c 4000 small-trace.json > cut.json
stepcast inspect cut.json
