# exit 4
# copy ../data/hardware/madeup-kernels.json
stepcast validate madeup-kernels.json --max-error 5
