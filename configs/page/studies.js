// What the other studies print, and any other JSON as tables.
const studies = {
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
