# copy ../data/hardware/madeup-kernels.json
stepcast validate madeup-kernels.json --update-device -o made.json >/dev/null 2>&1 && cat made.json
