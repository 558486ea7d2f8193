# copy data/small-trace.json
# before sed -e 's/"Collective name"/"x"/; s/msg nelems/y/g; s/{"Input Dims": \[\[/{"x": [[/' small-trace.json > trace.json
# before echo '{"bucket_sizes": "600"}' > buckets.json
stepcast import trace.json buckets.json
