# before stepcast compare dear-64gpu-10gbe --schedules ddp,dear --json > baseline.json
# before stepcast compare dear-64gpu-10gbe --schedules ddp,dear --json > new.json
stepcast gate new.json --baseline baseline.json --max-slowdown 2% --markdown gate.md --junit gate.xml
