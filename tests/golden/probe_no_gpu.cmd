# exit 3
# replace ^stepcast-probe: (built without CUDA|no GPU|no NVIDIA driver)[^;:]*[;:].* => stepcast-probe: (what is missing, and what works)
CUDA_VISIBLE_DEVICES= stepcast-probe gemm
