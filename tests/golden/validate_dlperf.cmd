# copy ../../traces/published/testbeds/dlperf-v100-edr.json
stepcast validate dlperf-v100-edr.json
