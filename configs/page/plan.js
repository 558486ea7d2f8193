// What a capacity plan prints: the best, fronts of cost and memory against time, changes of the best.
const plan = {
  others: (choice) => Object.entries(choice.options).filter(([name]) => !['tp', 'pp', 'cp', 'ep', 'global_batch'].includes(name))
    .map(([name, value]) => `${name}=${value}`).join(' '),
  label: (choice) => `${choice.gpus} GPUs, ${choice.cluster}\n${choice.layout} ${choice.schedule} ${plan.others(choice)}`,
  show(json) {
    const [best] = json.results;
    const money = (value) => `${format.number(value)} ${json.prices.currency}`;
    document.getElementById('main').append(elements.facts([
      ['best', `${best.gpus} GPUs, ${best.cluster}`], ['layout', best.layout], ['schedule', best.schedule],
      ['step', format.time(best.iteration_time_s)], ['hours', format.number(best.hours)], ['cost', money(best.cost)],
      ...(best.deadline_chance === undefined ? [] : [['chance to be in time', format.percent(best.deadline_chance)]])]));
    elements.section('Why', elements.list(best.why));
    elements.section('Cost against time', plan.front(json, 'hours', (choice) => choice.hours, (choice) => choice.cost, json.pareto,
      `cost, ${json.prices.currency}`, money), plan.table(json.pareto, json));
    const alike = json.results.slice(1).filter((choice) => choice.indistinguishable).length;
    elements.section('Best rows', elements.make('p', { class: 'hint' }, alike === 0 ? ''
      : `The likely ranges of ${alike} of these overlap with that of the best: the forecasts do not tell which is best.`),
    plan.table(json.results, json, best));
    if (json.best_of_each_cluster?.length > 1)
      elements.section('Best of each cluster', plan.table(json.best_of_each_cluster, json));
    if (json.memory_front.length > 1)
      elements.section('Memory against time', plan.front({ results: json.results.filter((choice) => choice.gpus === best.gpus && choice.cluster === best.cluster) },
        'step ms', (choice) => choice.iteration_time_s * 1e3, (choice) => choice.memory_bytes / 2 ** 30, json.memory_front, 'GiB of a GPU',
        (value) => format.number(value) + ' GiB'), plan.table(json.memory_front, json));
    if (json.changes.length > 0)
      elements.section('One change of the best', elements.table([{ name: 'change', value: (row) => row.change, isText: true },
        { name: 'samples/s', value: (row) => row.gain, text: (gain) => (gain < 0 ? '' : '+') + format.percent(gain) },
        { name: 'step ms', value: (row) => row.iteration_time_s, text: format.ms },
        { name: 'memory', value: (row) => row.memory_bytes, text: format.bytes },
        { name: 'fits', value: (row) => (row.fits ? 'yes' : 'no'), isText: true }], json.changes));
    if (json.outlook.length > 0) elements.section('Outlook', elements.list(json.outlook));
    elements.section('Notes', elements.list([`Candidates: ${Object.entries(json.candidates).map(([kind, count]) => `${format.words(kind)} ${count}`).join(', ')}.`,
      `Prices: ${json.prices.name}, ${json.prices.date}.`, ...json.notes, json.command]));
  },
  /// The front as a line through its dots, the other rows as dots by cluster.
  front(json, across, x, y, front, up, text) {
    const point = (choice) => ({ value: [x(choice), y(choice)], choice });
    const clusters = [...new Set(json.results.map((choice) => choice.cluster))];
    return picture.box(up + ' by ' + across, () => ({
      grid: { left: 80, right: 40, top: 40, bottom: 50 }, legend: {},
      tooltip: { trigger: 'item', formatter: ({ data }) => `${plan.label(data.choice)}\n${across} ${format.number(data.value[0])}, ${text(data.value[1])}` },
      xAxis: { type: 'value', name: across, scale: true }, yAxis: { type: 'value', name: up, scale: true },
      series: [...clusters.map((cluster) => ({ name: cluster, type: 'scatter', symbolSize: 8,
        data: json.results.filter((choice) => choice.cluster === cluster).map(point) })),
      { name: 'front', type: 'line', symbol: 'diamond', symbolSize: 12, data: front.map(point) }],
    }));
  },
  table(choices, json, best = null) {
    const columns = [{ name: 'cluster', value: (row) => row.cluster, isText: true }, { name: 'GPUs', value: (row) => row.gpus },
      { name: 'layout', value: (row) => row.layout, isText: true }, { name: 'schedule', value: (row) => row.schedule, isText: true },
      { name: 'options', value: plan.others, isText: true }, { name: 'step ms', value: (row) => row.iteration_time_s, text: format.ms },
      { name: 'hours', value: (row) => row.hours }, { name: 'cost', value: (row) => row.cost },
      { name: 'memory', value: (row) => row.memory_bytes, text: format.bytes },
      { name: 'fits', value: (row) => (row.fits ? 'yes' : 'no'), isText: true },
      { name: 'as good as the best', value: (row) => (row.indistinguishable ? 'maybe' : 'no'), isText: true }, { name: 'why', value: (row) => row.why.join(' '), isText: true }];
    if (json.deadline_s !== undefined)
      columns.splice(8, 0, { name: 'in time', value: (row) => row.deadline_chance ?? 0, text: format.percent });
    return elements.table(columns, choices, { best, filter: true });
  },
};
