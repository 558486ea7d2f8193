// Several forecasts beside each other: schedules of one job, or the rows of a sweep.
const compare = {
  varied: new Set(),  // keys of combinations that tell the rows apart
  name(result) {
    const varied = Object.entries(result.combination ?? {}).filter(([key]) => compare.varied.has(key));
    if (varied.length === 0) return result.schedule.name;
    return varied.map(([key, value]) => (key === 'schedule' ? value : `${key}=${value}`)).join(' ');
  },
  sum: (times) => (typeof times === 'object' ? Object.values(times).reduce((sum, time) => sum + time, 0) : times ?? 0),
  bars(results) {
    const shown = results.slice(0, 40);
    const kinds = fields.parts.map(({ name, key }) => [name, shown.map(({ breakdown }) => compare.sum(breakdown[key]) * 1e3)])
      .filter(([, times]) => times.some((time) => time > 0));
    return picture.bars('Where the step of each goes', shown.map(compare.name), 'ms', kinds, { left: 200, tooltip: {
      trigger: 'axis', axisPointer: { type: 'shadow' },
      formatter: (bars) => [compare.name(shown[bars[0].dataIndex]), ...bars.map((bar) => `${bar.seriesName}: ${bar.value.toFixed(2)} ms`)].join('\n') } });
  },
  /// Where one thing that varies is a number: a line for each combination of the others.
  lines(results) {
    const keys = [...compare.varied];
    const numeric = keys.find((key) => new Set(results.map((r) => r.combination[key])).size > 2 &&
      results.every((r) => Number.isFinite(parseFloat(r.combination[key]))));
    if (!numeric) return null;
    const names = [...new Set(results.map((r) => keys.filter((k) => k !== numeric).map((k) => r.combination[k]).join(' ')))];
    const values = [...new Set(results.map((r) => r.combination[numeric]))];
    const at = (name, value) => results.find((r) => r.combination[numeric] === value &&
      keys.filter((k) => k !== numeric).map((k) => r.combination[k]).join(' ') === name);
    return picture.box('Iteration time over ' + numeric, () => ({
      grid: { left: 70, right: 40, top: 40, bottom: 50 }, legend: {}, tooltip: { trigger: 'axis' },
      xAxis: { type: 'category', name: numeric, data: values }, yAxis: { type: 'value', name: 'ms', min: 0 },
      series: names.flatMap((name, i) => {
        const found = values.map((value) => at(name, value));
        return picture.line(name || 'all', i, found.map((r) => (r ? r.iteration_time_s * 1e3 : null)),
          found.map((r) => (r?.iteration_time_low_s ? [r.iteration_time_low_s * 1e3, r.iteration_time_high_s * 1e3] : null)));
      }),
    }));
  },
  /// The schedule that trains most samples a second, by density and what else tells jobs apart.
  map(results, boundaries) {
    const keys = Object.keys(boundaries[0].combination).filter((key) => compare.varied.has(key));
    const jobOf = (r) => keys.map((key) => `${key}=${r.combination[key]}`).join(' ');
    const densities = [...new Set(results.map((r) => r.combination.density))].filter((density) => density !== '-').sort((a, b) => a - b);
    const jobs = [...new Set(results.map(jobOf))];
    const schedules = [...new Set(results.map((r) => r.schedule.name))];
    const cells = jobs.flatMap((job, y) => densities.flatMap((density, x) => {
      const there = results.filter((r) => jobOf(r) === job && [density, '-'].includes(r.combination.density));
      if (there.length === 0) return [];
      const best = there.reduce((a, b) => (b.throughput_samples_per_s > a.throughput_samples_per_s ? b : a));
      return { value: [x, y, schedules.indexOf(best.schedule.name)], best };
    }));
    return picture.box('Fastest schedule by density', (look) => ({
      grid: { left: 220, right: 30, top: 50, bottom: 50 },
      tooltip: { formatter: ({ data }) => `${data.best.schedule.name}: ${format.time(data.best.iteration_time_s)}\n${data.best.speedup.toFixed(2)} times ${schedules[0]}` },
      xAxis: { type: 'category', name: 'density', data: densities },
      yAxis: { type: 'category', data: jobs },
      visualMap: { type: 'piecewise', orient: 'horizontal', top: 0, left: 'center', dimension: 2, textStyle: { color: look.ink },
        categories: schedules.map((_, i) => i), inRange: { color: schedules.map((_, i) => palette[i % palette.length]) },
        formatter: (i) => schedules[i] },
      series: [{ type: 'heatmap', data: cells, label: { show: true, formatter: ({ data }) => data.best.speedup.toFixed(2) } }],
    }), 120 + 40 * jobs.length);
  },
  show(result) {
    const { results } = result;
    const values = (key) => new Set(results.map(({ combination }) => combination?.[key]));
    compare.varied = new Set(Object.keys(results[0].combination ?? {}).filter((key) => values(key).size > 1));
    const systems = results.filter((result) => !result.schedule.bound);
    const best = (systems.length > 0 ? systems : results).reduce((a, b) => (b.throughput_samples_per_s > a.throughput_samples_per_s ? b : a));
    const main = document.getElementById('main');
    main.append(elements.facts([['forecasts', String(results.length)], ['most samples/s', compare.name(best)],
      ['its iteration time', format.time(best.iteration_time_s)], ['its efficiency', format.percent(best.scaling_efficiency)]]));
    const lines = compare.lines(results);
    if (lines)
      elements.section('Iteration time', elements.make('p', { class: 'hint' },
        'Bands: where a measured step is likely to lie, by the errors of checked cases.'), lines);
    if (result.boundaries?.length > 0 && compare.varied.has('density'))
      elements.section('Fastest schedule', elements.make('p', { class: 'hint' },
        'Only time is forecast, not convergence: at one density the schemes send different entries.'), compare.map(results, result.boundaries));
    elements.section('Where the step goes', compare.bars(results));
    const fits = (r) => (r.memory.device_memory_bytes > 0 ? (r.memory.total_bytes <= r.memory.device_memory_bytes ? 'yes' : 'no') : '-');
    elements.section('Forecasts', elements.table([
      ...elements.columns(fields.columns, { name: 'forecast', value: compare.name, isText: true }),
      { name: 'fits', value: fits, isText: true }], results, { best, caption: 'The row in bold trains most samples a second.', filter: true }));
    elements.section('Why', elements.list(results.slice(0, 20).map((r) => `${compare.name(r)}: ${(r.why ?? []).join(' ')}`)));
    run.notes(results);
    if (result.left_out_of_the_page)
      elements.section('Left out', elements.list([`For its size this page leaves out, of each forecast: ${result.left_out_of_the_page}.`]));
  },
};
