# copy ../../scripts/forecasts.py
# copy ../../scripts/testbeds
# copy ../../traces/published/testbeds/dlperf-v100-edr.json
# copy ../../traces/published/testbeds/tensorflow-ec2-k80.json
./testbeds --program stepcast dlperf-v100-edr.json tensorflow-ec2-k80.json
