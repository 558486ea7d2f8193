# copy data/small-trace.json
stepcast import small-trace.json --batch 8 --source 'a run of my own' --forward-share 0.4 | grep -e 'a run of my own' -e 'forward_s' | head -4
