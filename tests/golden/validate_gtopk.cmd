# copy ../../traces/published/sparse/gtopk-p102-1gbe.json
stepcast validate gtopk-p102-1gbe.json
