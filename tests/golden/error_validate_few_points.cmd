# exit 2
# copy ../data/hardware/madeup-kernels.json
# before sed '/gemm-fp32/d' madeup-kernels.json > few.json
stepcast validate few.json --update-device
