# copy ../../traces/published/networks/v100-4-to-16-gpus-horovod.json
stepcast validate v100-4-to-16-gpus-horovod.json --json
