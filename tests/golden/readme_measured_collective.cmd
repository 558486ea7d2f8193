stepcast collective --cluster v100-32x4-edr --algorithm ring --size 1MiB,32MiB --gpus 16,64
