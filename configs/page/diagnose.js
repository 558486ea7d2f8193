// What holds up a job: the verdict, the ranks, and how much slower each part makes it.
const diagnose = {
  show(json) {
    const main = document.getElementById('main');
    main.append(elements.facts([['recorded step', format.time(json.recorded_step_s)], ['with even work', format.time(json.ideal_step_s)],
      ['slow-down', format.number(json.slowdown, 5)], ['waste', format.percent(1 - 1 / json.slowdown)], ['GPUs', String(json.gpus)],
      ['steps', String(json.steps)]]));
    elements.section('Verdict', elements.make('p', { class: 'verdict' }, json.verdict.text));
    if (json.against) diagnose.against(json);
    diagnose.spread(json);
    diagnose.heat(json.ranks);
    diagnose.times(json.ranks);
    diagnose.kernels(json.uneven_kernels);
    diagnose.meetings(json.meetings);
    diagnose.gains(json);
    diagnose.parts(json.slowdown_by);
    diagnose.steps(json.slowdown_by.step ?? {});
    elements.section('Critical path over all ranks', elements.table([{ name: 'kind', value: ([kind]) => kind, isText: true },
      { name: 'share', value: ([, share]) => share, text: format.percent }], Object.entries(json.critical_path.kinds)),
    elements.table([{ name: 'rank', value: ({ rank }) => rank }, { name: 'share', value: ({ share }) => share, text: format.percent }],
      json.critical_path.ranks));
    elements.section('Longest stretches of the critical path of step ' + json.critical_path.step, elements.table([
      { name: 'rank', value: ({ rank }) => rank }, { name: 'what', value: ({ what }) => what, isText: true },
      ...[['begin ms', 'begin_s'], ['duration ms', 'duration_s']].map(([name, key]) => ({ name, value: (row) => row[key], text: format.ms }))],
    json.critical_path.stretches));
    if (json.clocks?.length > 0) elements.section('Clocks', elements.table(elements.columns(fields.clocks), json.clocks));
    elements.section('Notes', elements.list([`The simulated steps miss the recorded ones by ${format.percent(json.simulated_step_error)} on average.`,
      ...(json.notes ?? []).map(studies.text)]));
  },
  against({ against, ...json }) {
    const rows = [['recorded step', 'recorded_step_s', format.time], ['step without delays', 'undelayed_step_s', format.time],
      ['step with even work', 'ideal_step_s', format.time], ['slow-down', 'slowdown', (value) => value.toFixed(4)]];
    const flat = (run) => ({ ...run, ...run.rank_means });
    [json, against] = [flat(json), flat(against)];
    rows.push(...[['waiting of a rank', 'waiting_s'], ['exposed communication of a rank', 'exposed_communication_s'],
      ['idle for host of a rank', 'idle_for_host_s']].map((row) => [...row, format.time]));
    elements.section('Against ' + format.short(against.job), elements.table([{ name: '', value: ([name]) => name, isText: true },
      { name: 'other run', value: ([, key, text]) => text(against[key]), isText: true },
      { name: 'this run', value: ([, key, text]) => text(json[key]), isText: true },
      { name: 'changed by', value: ([, key]) => (against[key] > 0 ? json[key] / against[key] - 1 : 0), text: format.percent }], rows),
    elements.make('p', {}, 'The other run: ' + against.verdict.text));
  },
  spread(json) {
    const rows = [['recorded', 'recorded'], ['simulated', 'simulated'], ['without delays', 'undelayed'], ['even work', 'ideal']];
    elements.section('Step times', elements.table([{ name: 'step', value: ([name]) => name, isText: true },
      { name: 'mean ms', value: ([, key]) => json[key + '_step_s'], text: format.ms },
      ...[['P50 ms', 'p50_s'], ['P95 ms', 'p95_s'], ['max ms', 'max_s']].map(([name, of]) =>
        ({ name, value: ([, key]) => json.step_spread[key + '_step_s'][of], text: format.ms }))], rows));
  },
  /// Data-parallel groups by stages: how much slower the job is because of that rank alone.
  heat(ranks) {
    const places = (key) => [...new Set(ranks.map((rank) => rank[key]))].sort((a, b) => a - b);
    const [groups, stages] = [places('data'), places('stage')];
    const most = Math.max(1.05, ...ranks.map((rank) => rank.slowdown));
    elements.section('Slow-down by rank alone', picture.box('Slow-down by rank alone', (look) => ({
      grid: { left: 70, right: 30, top: 60, bottom: 50 },
      tooltip: { formatter: ({ data }) => `rank ${data.rank.rank}: ${format.number(data.rank.slowdown, 5)}\n` +
        `computing ${format.time(data.rank.computing_s)}\nheld up others ${format.time(data.rank.holding_s)}` },
      xAxis: { type: 'category', name: 'data-parallel group', data: groups.map(String) },
      yAxis: { type: 'category', name: 'stage', inverse: true, data: stages.map(String) },
      visualMap: { min: 1, max: most, orient: 'horizontal', top: 0, left: 'center', calculable: true, textStyle: { color: look.ink },
        formatter: (value) => value.toFixed(3), inRange: { color: ['#f7f7f7', '#e69f00', palette[1]] } },
      series: [{ type: 'heatmap', label: { show: ranks.length <= 128, color: '#000000', formatter: ({ data }) => data.rank.slowdown.toFixed(2) },
        data: ranks.map((rank) => ({ value: [groups.indexOf(rank.data), stages.indexOf(rank.stage), rank.slowdown], rank })) }],
    }), 130 + 36 * stages.length));
  },
  times(ranks) {
    const shown = [...ranks].sort((a, b) => b.slowdown - a.slowdown).slice(0, 40);
    const kinds = [['computing', 'computing_s'], ['exposed communication', 'exposed_communication_s'], ['copies alone', 'copies_alone_s'],
      ['waiting', 'waiting_s'], ['idle for host', 'idle_for_host_s'], ['other', 'other_s']]
      .filter(([, key]) => ranks.some((rank) => rank[key] > 0));
    elements.section('Where the time of each rank goes', picture.bars('Time of each rank', shown.map((rank) => 'rank ' + rank.rank), 'ms a step',
      kinds.map(([name, key]) => [name, shown.map((rank) => Number(format.ms(rank[key])))]),
      { left: 90, height: 26, tooltip: { trigger: 'axis', axisPointer: { type: 'shadow' } } }), elements.table(elements.columns(fields.ranks, { name: 'rank', value: (rank) => rank.name ?? rank.rank }), ranks));
  },
  meetings(meetings) {
    if (meetings.length === 0) return;
    const [name, ...others] = elements.columns(fields.meetings);
    const ranks = { name: 'ranks', value: (row) => row.ranks.join(row.message ? ' → ' : ', '), isText: true };
    elements.section('Collectives and messages that cost most', elements.table([name, ranks, ...others], meetings));
  },
  kernels(uneven) {
    if (!uneven) return;
    const title = `Where rank ${uneven.slowest_rank} loses against rank ${uneven.fastest_rank}, which does the same`;
    elements.section(title, elements.table(elements.columns(fields.uneven), uneven.kinds));
  },
  gains({ gains, simulated_step_s, undelayed_step_s: undelayed }) {
    const rows = [['no gaps of the host', simulated_step_s, gains.no_host_gaps_step_s], ...[['no straggler', 'even_ranks_step_s'], ['work spread evenly over the stages', 'even_stages_step_s'],
      ['transfers in half their time', 'faster_network_step_s'], ['transfers in no time', 'free_network_step_s']]
      .filter(([, key]) => gains[key] !== null).map(([name, key]) => [name, undelayed, gains[key]])];
    if (gains.larger_buckets)
      rows.push(['larger buckets', gains.larger_buckets.instead_of_s, gains.larger_buckets.step_s]);
    elements.section('With one thing better', elements.table([{ name: 'with', value: ([name]) => name, isText: true },
      { name: 'step ms', value: ([, , step]) => step, text: format.ms }, { name: 'instead of', value: ([, now]) => now, text: format.ms },
      { name: 'less by', value: ([, now, step]) => 1 - step / now, text: format.percent }], rows));
  },
  parts(by) {
    const rows = ['kind', 'stage', 'node'].flatMap((part) => Object.entries(by[part] ?? {}).map(([name, slowdown]) => ({ part, name, slowdown })));
    if (rows.length === 0) return;
    elements.section('Slow-down by part alone', elements.table([{ name: 'part', value: (row) => row.part, isText: true },
      { name: 'name', value: (row) => row.name, isText: true },
      { name: 'slow-down alone', value: (row) => row.slowdown, text: (value) => format.number(value, 5) }], rows));
  },
  steps(slowdowns) {
    const steps = Object.entries(slowdowns);
    if (steps.length < 2) return;
    elements.section('Slow-down by step', picture.box('Slow-down by step', () => ({
      grid: { left: 70, right: 40, top: 20, bottom: 50 }, tooltip: { trigger: 'axis' },
      xAxis: { type: 'category', name: 'step', data: steps.map(([step]) => step) }, yAxis: { type: 'value', scale: true },
      series: [{ type: 'line', data: steps.map(([, slowdown]) => slowdown) }],
    }), 260), elements.table([{ name: 'step', value: ([step]) => Number(step) },
      { name: 'slow-down alone', value: ([, slowdown]) => slowdown, text: (value) => format.number(value, 5) }], steps));
  },
};
