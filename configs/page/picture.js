// Pictures: one look for all, a tooltip that is text, PNG and SVG to save. The colours are those of `--figure`.
const fields = JSON.parse(document.getElementById('fields').textContent);
const { palette } = fields;
const pictures = [];

const picture = {
  isDark: () => document.documentElement.classList.contains('dark'),
  /// The colour of a kind of work, or of its part or whole in a label such as "other compute: packing"; of an unknown
  /// kind the colour of that number.
  colourOf(kind, otherwise) {
    const end = kind.indexOf(': ');
    const [whole, part] = end < 0 ? [kind, ''] : [kind.slice(0, end), kind.slice(end + 2)];
    return fields.colours[kind] ?? fields.colours[part] ?? fields.colours[whole] ?? palette[otherwise % palette.length];
  },
  base() {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--ink').trim();
    const line = style.getPropertyValue('--line').trim();
    const axis = { axisLabel: { color: ink }, axisLine: { lineStyle: { color: line } }, splitLine: { lineStyle: { color: line } },
      nameTextStyle: { color: ink } };
    return { ink, line, axis, paper: style.getPropertyValue('--paper').trim() };
  },
  options(make) {
    const look = picture.base();
    const own = make(look);
    const withAxis = (axis) => axis && { ...look.axis, ...axis };
    return {
      color: palette, backgroundColor: look.paper, textStyle: { color: look.ink }, animation: false,
      aria: { enabled: true },
      ...own,
      tooltip: { renderMode: 'richText', confine: true, backgroundColor: look.paper, borderColor: look.line,
        textStyle: { color: look.ink }, ...own.tooltip },
      legend: own.legend && { textStyle: { color: look.ink }, type: 'scroll', top: 0, ...own.legend },
      xAxis: own.xAxis && { nameLocation: 'middle', nameGap: 26, ...withAxis(own.xAxis) }, yAxis: withAxis(own.yAxis),
    };
  },
  /// A picture with its buttons; `make(look)` returns ECharts' options, anew for each theme, and `on` holds what to
  /// do with the chart at an event of it.
  box(name, make, height = 340, on = {}) {
    const canvas = elements.make('div', { class: 'picture', role: 'img', 'aria-label': name });
    canvas.style.height = height + 'px';
    const entry = { name, canvas, make, on, chart: null };
    pictures.push(entry);
    const file = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    const svg = () => {
      const drawn = echarts.init(null, null, { renderer: 'svg', ssr: true, width: canvas.clientWidth, height });
      drawn.setOption(picture.options(make));
      elements.save(file + '.svg', 'image/svg+xml', drawn.renderToSVGString());
      drawn.dispose();
    };
    const png = () => {
      if (entry.late) picture.show(entry);
      const link = elements.make('a', { href: entry.chart.getDataURL({ pixelRatio: 2 }), download: file + '.png' });
      link.click();
    };
    return elements.make('div', {}, canvas,
      elements.make('div', { class: 'buttons' }, elements.button('PNG', png), elements.button('SVG', svg)));
  },
  /// Series of a line with a band around it where there are ends of one; `ends` are [low, high] or null.
  line(name, number, values, ends) {
    const color = palette[number % palette.length];
    const line = { name, type: 'line', color, data: values };
    if (!ends.some((end) => end)) return [line];
    const edge = { name, type: 'line', stack: 'band ' + number, color, silent: true, symbol: 'none', lineStyle: { opacity: 0 }, tooltip: { show: false } };
    return [{ ...edge, data: ends.map((end) => (end ? end[0] : null)) },
      { ...edge, data: ends.map((end) => (end ? end[1] - end[0] : null)), areaStyle: { opacity: 0.12 } }, line];
  },
  /// Rows of bars that are stacked: {name: [numbers by row]} by kind of work.
  bars(name, rows, unit, kinds, { height = 30, tooltip = {}, left = 190, ...axis } = {}) {
    return picture.box(name, () => ({
      grid: { left, right: 40, top: kinds.length > 1 ? 40 : 10, bottom: 40 }, legend: kinds.length > 1 ? {} : undefined, tooltip,
      xAxis: { type: 'value', name: unit, ...axis },
      yAxis: { type: 'category', inverse: true, data: rows.map((row) => format.short(row, 32)) },
      series: kinds.map(([kind, data], i) => ({ name: kind, type: 'bar', stack: 'all', color: picture.colourOf(kind, i), data })),
    }), 110 + height * rows.length);
  },
  show(entry) {
    if (!entry.chart) {
      entry.chart = echarts.init(entry.canvas);
      for (const [event, act] of Object.entries(entry.on)) entry.chart.on(event, () => act(entry.chart));
    }
    entry.chart.setOption(picture.options(entry.make), true);
    entry.late = false;
  },
  /// What the window shows is drawn at once, the rest picture by picture behind what the reader does.
  draw() {
    for (const entry of pictures) entry.late = true;
    const seen = pictures.filter(({ canvas }) => canvas.getBoundingClientRect().top < window.innerHeight);
    seen.forEach(picture.show);
    const next = () => {
      const entry = pictures.find(({ late }) => late);
      if (!entry) return;
      picture.show(entry);
      setTimeout(next);
    };
    requestAnimationFrame(() => setTimeout(next));
  },
  drawAll() {
    pictures.filter(({ late }) => late).forEach(picture.show);
  },
  resize() {
    for (const entry of pictures) entry.chart?.resize();
  },
};
