# exit 2
# copy data/small-trace.json
# before sed s/cpu_op/news/ small-trace.json > odd.json
stepcast import odd.json --strict -o mine.json
