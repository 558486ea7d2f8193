// One forecast: where the step goes, what the links and the memory carry, why.
const run = {
  /// The rows of the breakdown in the order of the report: [name, seconds].
  parts: ({ breakdown }) => fields.parts.flatMap(({ name, key }) => (typeof breakdown[key] === 'object' ?
    Object.entries(breakdown[key]).map(([part, time]) => [`${name}: ${part}`, time]) : [[name, breakdown[key] ?? 0]])),
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
        { type: 'bar', stack: 'all', data: parts.map(([, time], i) => ({ value: time * 1e3, itemStyle: { color: picture.colourOf(parts[i][0], i) } })),
          label: { show: true, position: 'right', color: look.ink, formatter: ({ value }) => value.toFixed(2) } },
      ],
    }), 80 + 34 * parts.length);
  },
  links(result) {
    const links = result.links.slice(0, 12);
    return picture.bars('How busy the links are', links.map(({ link }) => link), '%', [['busy', links.map((link) => link.utilisation * 100)]], {
      height: 34, min: 0, max: (value) => Math.max(100, value.max), tooltip: { formatter: ({ dataIndex: i }) =>
        `${links[i].link} (${links[i].alike} alike)\n${format.bytes(links[i].bytes)} of ${format.rate(links[i].bandwidth_bytes_per_s)}: ${format.percent(links[i].utilisation)}` } });
  },
  linkTable: (links) => elements.table(elements.columns(fields.links), links),
  memoryRows(result) {
    const rows = Object.entries(result.memory)
      .filter(([key, value]) => value > 0 && !['total_bytes', 'device_memory_bytes'].includes(key))
      .map(([key, bytes]) => ({ name: format.words(key), bytes }));
    rows.push({ name: 'total', bytes: result.memory.total_bytes });
    if (result.memory.device_memory_bytes > 0) rows.push({ name: 'device memory', bytes: result.memory.device_memory_bytes });
    return rows;
  },
  memory: (rows) => picture.bars('Memory of a GPU', rows.map(({ name }) => name), 'GiB', [['memory', rows.map((row) => row.bytes / 1073741824)]],
    { tooltip: { formatter: ({ dataIndex: i }) => `${rows[i].name}: ${format.bytes(rows[i].bytes)}` } }),
  facts(result) {
    const shown = { gpus: ['GPUs', `${result.gpus} (${result.nodes} × ${result.gpus_per_node})`],
      'memory.total_bytes': ['memory per GPU', format.bytes(result.memory.total_bytes)] };
    return elements.facts(fields.facts.filter((field) => elements.valueOf(field, result) !== undefined)
      .map((field) => shown[field.key] ?? [field.label, format.line(field.unit, elements.valueOf(field, result))]));
  },
  /// What `--figure` drew, on its own white sheet.
  figure(svg) {
    const url = 'data:image/svg+xml,' + encodeURIComponent(svg);
    return elements.make('div', { class: 'scroll', tabindex: '0' }, elements.make('img', { src: url, alt: 'Passes of each stage' }),
      elements.make('div', { class: 'buttons' }, elements.button('SVG', () => elements.save('stages.svg', 'image/svg+xml', svg))));
  },
  stageTable: (stages) => elements.table([...elements.columns(fields.stages, { name: 'stage', value: (row) => stages.indexOf(row) }),
    ...Object.keys(stages[0].bubble_by).map((key) => ({ name: format.words(key) + ' ms', value: (row) => row.bubble_by[key], text: format.ms }))], stages),
  notes(results) {
    const notes = [...new Set(results.flatMap((result) => result.notes ?? []))];
    if (notes.length > 0) elements.section('Notes', elements.list(notes));
  },
  show(result, trace, figure) {
    const main = document.getElementById('main');
    main.append(run.facts(result));
    elements.section('Why', elements.list(result.why));
    elements.section('Where the step goes', run.waterfall(result),
      elements.table([{ name: 'part', value: (row) => row[0], isText: true }, { name: 'ms', value: (row) => row[1], text: format.ms },
        { name: 'share', value: (row) => row[1] / result.iteration_time_s, text: format.percent }], run.parts(result)));
    if (figure) elements.section('Stages', run.figure(figure), run.stageTable(result.stages));
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
