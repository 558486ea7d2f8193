# before stepcast scaling --workload resnet50-rtx2080ti-bs32 --clusters rtx2080ti-16x4-ib100 --schedules dp-kfac --figure chart.svg
stepcast scaling --workload resnet50-rtx2080ti-bs32 --clusters rtx2080ti-16x4-ib100,rtx2080ti-16x4-10gbe --schedules d-kfac,mpd-kfac,kaisa,spd-kfac,pad-kfac,dp-kfac
