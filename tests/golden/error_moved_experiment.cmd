# exit 2
stepcast crossover my-experiment.json --svg 'my map.svg'
