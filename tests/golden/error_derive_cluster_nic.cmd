# exit 2
stepcast derive cluster --from h100-8x8 --nic 8*400Gbps
