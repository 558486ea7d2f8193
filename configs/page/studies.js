// What the other studies print, and any other JSON as tables.
const studies = {
  scaling(json) {
    const sizes = json.gpus.map((gpus, i) => `${gpus} (${gpus / json.gpus_per_node[i]} × ${json.gpus_per_node[i]})`);
    const label = (curve) => `${curve.schedule} on ${curve.cluster}`;
    elements.section('Iteration time by GPUs', elements.make('p', { class: 'hint' },
      'Bands: where a measured step is likely to lie, by the errors of checked cases.'), picture.box('Iteration time by GPUs', () => ({
      grid: { left: 70, right: 40, top: 40, bottom: 50 }, legend: {}, tooltip: { trigger: 'axis' },
      xAxis: { type: 'category', name: 'GPUs', data: sizes }, yAxis: { type: 'value', name: 'ms', min: 0 },
      series: json.curves.flatMap((curve, i) => picture.line(label(curve), i, curve.iteration_time_s.map((time) => time * 1e3),
        curve.iteration_time_s.map((_, at) => curve.iteration_time_low_s && [curve.iteration_time_low_s[at] * 1e3, curve.iteration_time_high_s[at] * 1e3]))),
    }), 420), elements.table([{ name: 'curve', value: label, isText: true },
      ...sizes.map((size, i) => ({ name: size, value: (curve) => curve.iteration_time_s[i], text: format.ms }))], json.curves));
    run.notes([json]);
  },
  crossover(json) {
    for (const nodes of [...new Set(json.networks.map((network) => network.nodes))]) {
      const networks = json.networks.filter((network) => network.nodes === nodes);
      const cells = networks.flatMap((network, y) => network.cells.map((cell, x) => ({
        value: [x, y, json.schedules.indexOf(cell.fastest)], cell, network,
        gain: cell.iteration_time_s[json.schedules[0]] / cell.iteration_time_s[cell.fastest] })));
      elements.section(`Fastest on ${networks[0].gpus} GPUs`, picture.box(`Fastest schedule on ${networks[0].gpus} GPUs`, (look) => ({
        grid: { left: 90, right: 30, top: 50, bottom: 50 },
        tooltip: { formatter: ({ data }) => `${data.cell.fastest}: ${format.time(data.cell.iteration_time_s[data.cell.fastest])}\n${data.gain.toFixed(2)} times ${json.schedules[0]}` },
        xAxis: { type: 'category', name: 'density', data: networks[0].cells.map((cell) => String(cell.density)) },
        yAxis: { type: 'category', name: 'NIC', data: networks.map((network) => format.number(network.nic_bandwidth_bytes_per_s * 8e-9) + ' Gb/s') },
        visualMap: { type: 'piecewise', orient: 'horizontal', top: 0, left: 'center', dimension: 2, textStyle: { color: look.ink },
          categories: json.schedules.map((_, i) => i), inRange: { color: json.schedules.map((_, i) => palette[i % palette.length]) },
          formatter: (i) => json.schedules[i] },
        series: [{ type: 'heatmap', data: cells, label: { show: true, formatter: ({ data }) => data.gain.toFixed(2) } }],
      }), 120 + 40 * networks.length));
    }
    elements.section('Notes', elements.list([json.caveat, ...(json.notes ?? [])]));
  },
  tune(json) {
    const trials = json.trials.filter((trial) => Number.isFinite(trial.iteration_time_s));
    document.getElementById('main').append(elements.facts([['best', `${json.option}=${json.best.text}`],
      ['iteration time', format.time(json.best.iteration_time_s)], ['trials', String(json.trials.length)]]));
    elements.section('Trials', picture.box('Iteration time of each trial', () => ({
      grid: { left: 70, right: 40, top: 20, bottom: 50 },
      tooltip: { formatter: ({ data }) => `${data.text}: ${format.time(data.value[1] / 1e3)}` },
      xAxis: { type: json.scale === 'log' ? 'log' : 'value', name: json.option }, yAxis: { type: 'value', name: 'ms', scale: true },
      series: [{ type: 'scatter', symbolSize: 11, data: trials.map((trial) => ({ value: [trial.value, trial.iteration_time_s * 1e3], text: trial.text })) }],
    })));
    studies.any({ trials: json.trials, notes: json.notes });
  },
  /// Lists of objects become tables, lists of texts lists, single values facts.
  any(json) {
    const facts = [];
    for (const [key, value] of Object.entries(json)) {
      if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item)))
        elements.section(format.words(key), studies.tableOf(value));
      else if (Array.isArray(value) && value.length > 0) elements.section(format.words(key), elements.list(value.map(studies.text)));
      else if (value !== null && typeof value === 'object' && Object.keys(value).length > 0)
        elements.section(format.words(key), studies.tableOf(Object.entries(value).map(([name, item]) => ({ name, value: item }))));
      else if (typeof value !== 'object') facts.push([format.words(key), studies.valueText(key, value)]);
    }
    if (facts.length > 0) document.getElementById('main').prepend(elements.facts(facts));
  },
  text: (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)),
  valueText(key, value) {
    if (typeof value !== 'number') return studies.text(value);
    if (key.endsWith('_per_s')) return format.number(value);
    if (key.endsWith('_s')) return format.time(value);
    return key.endsWith('_bytes') ? format.bytes(value) : format.number(value);
  },
  tableOf(rows) {
    const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    return elements.table(keys.map((key) => ({ name: format.words(key), value: (row) => row[key] ?? '',
      text: (value) => studies.valueText(key, value), isText: rows.some((row) => typeof row[key] !== 'number') })), rows);
  },
};
