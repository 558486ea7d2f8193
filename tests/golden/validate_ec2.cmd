# copy ../../traces/published/testbeds/tensorflow-ec2-k80.json
stepcast validate tensorflow-ec2-k80.json
