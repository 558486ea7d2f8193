# before stepcast compare --workload resnet50-rtx2080ti-bs32 --cluster rtx2080ti-16x4-ib100 --schedules dp-kfac --nodes 1,2 --across nodes --figure chart.svg
stepcast compare --workload resnet50-rtx2080ti-bs32 --cluster rtx2080ti-16x4-ib100,rtx2080ti-16x4-10gbe \
    --schedules d-kfac,mpd-kfac,kaisa,spd-kfac,pad-kfac,dp-kfac --nodes 1,2,4,8,16 --across nodes
