stepcast scaling --workload resnet50-v100-bs96 --clusters v100-32x4-edr --schedules ddp --nodes 8,16 --json
