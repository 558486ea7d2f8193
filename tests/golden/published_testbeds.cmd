# root
scripts/published testbeds --program stepcast traces/published/testbeds/dlperf-v100-edr.json traces/published/testbeds/tensorflow-ec2-k80.json
