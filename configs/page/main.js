// Finds out what the result is of and shows it.
(() => {
  const read = (id) => {
    const text = document.getElementById(id).textContent.trim();
    return text === '' ? null : JSON.parse(text);
  };
  const result = read('result');
  const trace = read('timeline');
  const figure = read('figure');
  const first = result.results?.[0] ?? result;
  const isForecast = (json) => json?.breakdown !== undefined && json?.iteration_time_s !== undefined;

  const job = [first.workload ?? result.workload ?? result.job, first.cluster && 'on ' + first.cluster, result.schedule?.name && 'under ' + result.schedule.name,
    first.fidelity && `(${first.fidelity} fidelity)`].filter((part) => typeof part === 'string').join(' ');
  document.getElementById('subtitle').textContent = job;
  document.title = job ? 'StepCast: ' + job : 'StepCast';
  document.getElementById('version').textContent = 'StepCast ' + (first.version ?? result.version ?? '');
  document.getElementById('save-data').addEventListener('click', () => elements.save('stepcast.json', 'application/json', JSON.stringify(result, null, 2)));

  const theme = document.getElementById('theme');
  const setTheme = (dark) => {
    document.documentElement.classList.toggle('dark', dark);
    theme.textContent = dark ? 'Light' : 'Dark';
    theme.setAttribute('aria-pressed', String(dark));
    picture.draw();
  };
  const show = () => {
    if (isForecast(result)) run.show(result, trace, figure);
    else if (Array.isArray(result.results) && result.results.length > 0 && result.results.every(isForecast)) compare.show(result);
    else if (Array.isArray(result.pareto) && Array.isArray(result.results)) plan.show(result);
    else if (Array.isArray(result.trials) && result.best) studies.tune(result);
    else if (result.verdict?.text !== undefined && Array.isArray(result.ranks)) diagnose.show(result);
    else studies.any(result);
  };
  try {
    show();
    setTheme(window.matchMedia('(prefers-color-scheme: dark)').matches);
  } catch (error) {
    // A file that no command printed, or that somebody changed.
    elements.section('Not a whole result', elements.make('p', { role: 'alert' },
      `What is missing above could not be read from the data: ${error.message}. Save the data to look at it.`));
  }

  theme.addEventListener('click', () => setTheme(!picture.isDark()));
  window.addEventListener('resize', picture.resize);
  window.addEventListener('beforeprint', () => {
    setTheme(false);
    picture.drawAll();
  });
  document.documentElement.dataset.ready = 'yes';
})();
