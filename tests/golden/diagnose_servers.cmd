# root
stepcast diagnose tests/fuzz/corpus/job_timelines/valid_servers.json --json
