# root
stepcast replay tests/golden/data/ranks --cluster rtx2080ti-16x4-10gbe --ranks 64 --schedule dear
