// The timeline: a bar for each task, a row for each stream of each class of ranks. Neighbours of a kind that are
// narrower than a pixel are drawn as one bar until one zooms in.
const gantt = {
  /// Reads the events of a Chrome trace: {rows: [name], kinds: [name], bars: [[row, begin ms, end ms, name, kind]]}.
  read(trace) {
    const processes = new Map();
    const threads = new Map();
    for (const event of trace.traceEvents) {
      if (event.ph === 'M' && event.name === 'process_name') processes.set(event.pid, event.args.name);
      if (event.ph === 'M' && event.name === 'thread_name') threads.set(event.pid + '/' + event.tid, event.args.name);
    }
    const rows = [...threads.keys()];
    const place = new Map(rows.map((key, index) => [key, index]));
    const kinds = [];
    const bars = [];
    for (const event of trace.traceEvents) {
      if (event.ph !== 'X' || !place.has(event.pid + '/' + event.tid)) continue;
      const kind = event.cat ?? event.name;
      if (!kinds.includes(kind)) kinds.push(kind);
      bars.push([place.get(event.pid + '/' + event.tid), event.ts / 1e3, (event.ts + event.dur) / 1e3, event.name, kinds.indexOf(kind)]);
    }
    bars.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const label = (key) => [threads.get(key), processes.get(Number(key.split('/')[0]))].filter(Boolean).join(' · ');
    return { rows: rows.map(label), kinds, bars };
  },
  /// What can be told apart of `bars` (by row, then time) between `begin` and `end`, at `pixel` ms a pixel.
  coarse(bars, begin, end, pixel) {
    const shown = [];
    let last = null;
    for (const bar of bars) {
      if (bar[2] < begin || bar[1] > end) continue;
      const narrow = bar[2] - bar[1] < pixel;
      if (narrow && last && last.row === bar[0] && last.kind === bar[4] && bar[1] - last.end < pixel) {
        last.end = Math.max(last.end, bar[2]);
        last.count += 1;
        shown[shown.length - 1] = [bar[0], last.begin, last.end, `${last.count} tasks`, bar[4]];
      } else {
        last = narrow ? { row: bar[0], kind: bar[4], begin: bar[1], end: bar[2], count: 1 } : null;
        shown.push(bar);
      }
    }
    return shown;
  },
  sums({ rows, bars }) {
    const sums = rows.map((name) => ({ name, tasks: 0, busy: 0 }));
    for (const [row, begin, end] of bars) {
      sums[row].tasks += 1;
      sums[row].busy += end - begin;
    }
    return sums;
  },
  bar(look, kinds) {
    return (params, api) => {
      const begin = api.coord([api.value(1), api.value(0)]);
      const end = api.coord([api.value(2), api.value(0)]);
      const width = end[0] - begin[0];
      const height = api.size([0, 1])[1] * 0.7;
      const shape = echarts.graphic.clipRectByRect({ x: begin[0], y: begin[1] - height / 2, width: Math.max(width, 0.5), height },
        { x: params.coordSys.x, y: params.coordSys.y, width: params.coordSys.width, height: params.coordSys.height });
      if (!shape) return null;
      const colour = picture.colourOf(kinds[api.value(4)], api.value(4));
      return { type: 'rect', shape, style: { fill: colour, stroke: width > 3 ? look.paper : colour, lineWidth: 0.5 } };
    };
  },
  section(trace) {
    const read = gantt.read(trace);
    if (read.bars.length === 0) return;
    const height = 120 + 26 * read.rows.length;
    const begin = read.bars.reduce((earliest, bar) => Math.min(earliest, bar[1]), Infinity);
    const end = read.bars.reduce((latest, bar) => Math.max(latest, bar[2]), begin);
    const data = (from, to) => gantt.coarse(read.bars, from, to, (to - from) / 1000);
    const zoomed = (chart) => {
      const { startValue, endValue } = chart.getOption().dataZoom[0];
      chart.setOption({ series: [{ data: data(startValue, endValue) }] });
    };
    const box = picture.box('Timeline', (look) => ({
      grid: { left: 220, right: 20, top: 10, bottom: 85 },
      tooltip: { formatter: ({ value }) => `${value[3]}\n${format.time(value[1] / 1e3)} to ${format.time(value[2] / 1e3)}: ${format.time((value[2] - value[1]) / 1e3)}` },
      xAxis: { type: 'value', name: 'ms', min: begin, max: end, axisLabel: { color: look.ink, showMaxLabel: false, formatter: (ms) => format.number(ms) } },
      yAxis: { type: 'category', data: read.rows.map((row) => format.short(row, 34)), inverse: true },
      dataZoom: [{ type: 'inside', filterMode: 'weakFilter' }, { type: 'slider', filterMode: 'weakFilter', bottom: 8 }],
      series: [{ type: 'custom', renderItem: gantt.bar(look, read.kinds), encode: { x: [1, 2], y: 0 }, data: data(begin, end), progressive: 4000 }],
    }), height, { datazoom: zoomed });
    const legend = elements.make('p', { class: 'legend' });
    read.kinds.forEach((kind, i) => {
      const mark = elements.make('i');
      mark.style.background = picture.colourOf(kind, i);
      legend.append(elements.make('span', {}, mark, format.short(kind)));
    });
    elements.section('Timeline', elements.make('p', { class: 'hint' },
      `${read.bars.length} tasks of two iterations; scroll or drag the slider to zoom.`), legend, box,
    elements.table([{ name: 'row', value: ({ name }) => name, isText: true }, { name: 'tasks', value: ({ tasks }) => tasks },
      { name: 'busy ms', value: ({ busy }) => busy / 1e3, text: format.ms }], gantt.sums(read)));
  },
};
