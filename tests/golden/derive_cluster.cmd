stepcast derive cluster --from h100-8x8 --nodes 32 --nic 8x400Gbps
