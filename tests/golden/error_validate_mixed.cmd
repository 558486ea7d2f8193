# exit 2
# copy ../data/hardware/madeup-kernels.json
# before echo '{"format": "stepcast-measurements"}' > measured.json
stepcast validate madeup-kernels.json measured.json
