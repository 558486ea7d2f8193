// One forecast: where the step goes, what the links and the memory carry, why.
const run = {
  /// The rows of the breakdown in the order of the report: [name, seconds].
  parts(result) {
    const b = result.breakdown;
    return [['forward', b.forward_s], ['backward', b.backward_s],
      ...Object.entries(b.other_compute_s),
      ...Object.entries(b.exposed_communication_s).map(([name, time]) => ['exposed ' + name, time]),
      ['waiting', b.waiting_s], ['idle', b.idle_s]];
  },
  waterfall(result) {
    const parts = run.parts(result).filter(([, time]) => time > 0);
    const before = parts.map((part, i) => parts.slice(0, i).reduce((sum, [, time]) => sum + time, 0));
    return picture.box('Where the step goes', (look) => ({
      grid: { left: 190, right: 70, top: 10, bottom: 40 },
      tooltip: { formatter: ({ dataIndex: i }) => `${parts[i][0]}: ${format.time(parts[i][1])}, ${format.percent(parts[i][1] / result.iteration_time_s)}` },
      xAxis: { type: 'value', name: 'ms' },
      yAxis: { type: 'category', inverse: true, data: parts.map(([name]) => format.short(name, 30)) },
      series: [
        { type: 'bar', stack: 'all', silent: true, itemStyle: { color: 'transparent' }, data: before.map((time) => time * 1e3) },
        { type: 'bar', stack: 'all', data: parts.map(([, time], i) => ({ value: time * 1e3, itemStyle: { color: palette[i % palette.length] } })),
          label: { show: true, position: 'right', color: look.ink, formatter: ({ value }) => value.toFixed(2) } },
      ],
    }), 80 + 34 * parts.length);
  },
  links(result) {
    const links = result.links.slice(0, 12);
    return picture.box('How busy the links are', () => ({
      grid: { left: 190, right: 40, top: 10, bottom: 40 },
      tooltip: { formatter: ({ dataIndex: i }) => `${links[i].link} (${links[i].alike} alike)\n${format.bytes(links[i].bytes)} of ${format.rate(links[i].bandwidth_bytes_per_s)}: ${format.percent(links[i].utilisation)}` },
      xAxis: { type: 'value', name: '%', min: 0, max: (value) => Math.max(100, value.max) },
      yAxis: { type: 'category', inverse: true, data: links.map((link) => format.short(link.link, 28)) },
      series: [{ type: 'bar', data: links.map((link) => link.utilisation * 100) }],
    }), 90 + 34 * links.length);
  },
  linkTable: (links) => elements.table([{ name: 'link', value: (link) => link.link, isText: true }, { name: 'alike', value: (link) => link.alike },
    { name: 'sent', value: (link) => link.bytes, text: format.bytes }, { name: 'bandwidth', value: (link) => link.bandwidth_bytes_per_s, text: format.rate },
    { name: 'utilisation', value: (link) => link.utilisation, text: format.percent }], links),
  memoryRows(result) {
    const rows = Object.entries(result.memory)
      .filter(([key, value]) => value > 0 && !['total_bytes', 'device_memory_bytes'].includes(key))
      .map(([key, bytes]) => ({ name: format.words(key), bytes }));
    rows.push({ name: 'total', bytes: result.memory.total_bytes });
    if (result.memory.device_memory_bytes > 0) rows.push({ name: 'device memory', bytes: result.memory.device_memory_bytes });
    return rows;
  },
  memory(rows) {
    return picture.box('Memory of a GPU', () => ({
      grid: { left: 190, right: 40, top: 10, bottom: 40 },
      tooltip: { formatter: ({ dataIndex: i }) => `${rows[i].name}: ${format.bytes(rows[i].bytes)}` },
      xAxis: { type: 'value', name: 'GiB' },
      yAxis: { type: 'category', inverse: true, data: rows.map((row) => row.name) },
      series: [{ type: 'bar', data: rows.map((row) => row.bytes / 1073741824) }],
    }), 90 + 30 * rows.length);
  },
  fields: JSON.parse(document.getElementById('fields').textContent),
  facts(result) {
    const shown = { gpus: ['GPUs', `${result.gpus} (${result.nodes} × ${result.gpus_per_node})`],
      'memory.total_bytes': ['memory per GPU', format.bytes(result.memory.total_bytes)] };
    return elements.facts(run.fields.facts.filter((field) => elements.valueOf(field, result) !== undefined)
      .map((field) => shown[field.key] ?? [field.label, format.line(field.unit, elements.valueOf(field, result))]));
  },
  notes(results) {
    const notes = [...new Set(results.flatMap((result) => result.notes ?? []))];
    if (notes.length > 0) elements.section('Notes', elements.list(notes));
  },
  show(result, trace) {
    const main = document.getElementById('main');
    main.append(run.facts(result));
    elements.section('Why', elements.list(result.why));
    elements.section('Where the step goes', run.waterfall(result),
      elements.table([{ name: 'part', value: (row) => row[0], isText: true }, { name: 'ms', value: (row) => row[1], text: format.ms },
        { name: 'share', value: (row) => row[1] / result.iteration_time_s, text: format.percent }], run.parts(result)));
    if (trace) gantt.section(trace);
    elements.section('Critical path', elements.table([
      { name: 'what', value: (row) => row.what, isText: true }, { name: 'begin ms', value: (row) => row.begin_s, text: format.ms },
      { name: 'ms', value: (row) => row.duration_s, text: format.ms }], result.critical_path));
    if (result.links.length > 0) elements.section('Links', run.links(result), run.linkTable(result.links));
    const memory = run.memoryRows(result);
    elements.section('Memory', run.memory(memory), elements.table([{ name: 'part', value: (row) => row.name, isText: true },
      { name: 'per GPU', value: (row) => row.bytes, text: format.bytes }], memory));
    const options = Object.entries(result.schedule.options).map(([name, value]) => ({ name, value }));
    elements.section('Options in force', elements.table([{ name: 'option', value: (row) => row.name, isText: true },
      { name: 'value', value: (row) => row.value, isText: true }], options));
    run.notes([result]);
    const { workload, cluster } = result.provenance;
    elements.section('Inputs', elements.list([`workload ${workload.kind}: ${workload.source}`, `cluster ${cluster.kind}: ${cluster.source}`]));
  },
};
