stepcast plan --workload bert-large-rtx2080ti-bs32 --clusters rtx2080ti-16x4-10gbe --gpus 8,16,24,32,40,48,56,64 --samples 1e7 --deadline 8h
