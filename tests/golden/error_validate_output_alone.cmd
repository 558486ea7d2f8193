# exit 2
# copy ../data/hardware/madeup-kernels.json
stepcast validate madeup-kernels.json -o made.json
