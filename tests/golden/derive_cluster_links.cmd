stepcast derive cluster --from h100-8x8 --nodes 4 --nic 8x400Gbps --nic-startup 5us --intra-node 300GBps --device-memory 94GiB
