// Opens pages in a real Chromium: they draw without an error, tables sort and filter, tooltips appear, and names that
// try to be markup are text. Usage: page_test.mjs STEPCAST OUT_FOLDER; exits with 77 (skipped) where there is no
// browser, no driver or no charts.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [stepcast, out] = process.argv.slice(2);
const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const skip = (reason) => {
  console.log('skipped: ' + reason + ' (scripts/setup --page)');
  process.exit(77);
};
if (!browserPath) skip('no Chromium');
if (!existsSync(path.join(root, 'configs/page/echarts.min.js'))) skip('no charts');
const { chromium } = await import('playwright-core').catch(() => skip('no playwright-core'));

mkdirSync(out, { recursive: true });
const job = ['--workload', 'resnet50-rtx2080ti-bs64', '--cluster', 'rtx2080ti-16x4-10gbe', '--fidelity', 'analytic'];
const page = (name) => path.join(out, name + '.html');
const make = (name, ...words) => {
  execFileSync(stepcast, [...words, '--page', page(name)], { stdio: ['ignore', 'ignore', 'pipe'] });
  return page(name);
};

// A name of another's file may hold anything.
const hostile = () => {
  const result = JSON.parse(execFileSync(stepcast, ['run', ...job, '--schedule', 'dear', '--json']));
  const name = '</script><script>window.broken=1</script><img src=x onerror="window.broken=1">' + '\u202eabc' + 'x'.repeat(3000);
  result.workload = name;
  result.schedule.options[name] = name;
  result.why.push(name);
  result.links[0].link = name;
  result.critical_path[0].what = name;
  const file = path.join(out, 'hostile.json');
  writeFileSync(file, JSON.stringify(result));
  return make('hostile', 'report', file);
};

// 1,000 rows in a table, as a sweep may have.
const thousand = () => {
  const all = JSON.parse(execFileSync(stepcast, ['compare', ...job, '--schedules', 'dear', '--nodes', '2,4', '--json']));
  const rows = Array.from({ length: 1000 }, (_, i) => ({ ...all.results[i % 2], combination: { nodes: String(i + 1) } }));
  const file = path.join(out, 'thousand.json');
  writeFileSync(file, JSON.stringify({ results: rows }));
  return make('thousand', 'report', file);
};

// What somebody changed by hand.
const broken = () => {
  const result = JSON.parse(execFileSync(stepcast, ['run', ...job, '--schedule', 'dear', '--json']));
  const file = path.join(out, 'broken.json');
  writeFileSync(file, JSON.stringify({ ...result, schedule: {}, breakdown: 'none' }));
  return make('broken', 'report', file);
};

// A timeline of 20,000 tasks of a tenth of a pixel each.
const busy = () => {
  const [result, trace] = ['busy.json', 'busy-timeline.json'].map((name) => path.join(out, name));
  writeFileSync(result, execFileSync(stepcast, ['run', ...job, '--schedule', 'dear', '--json']));
  const tasks = Array.from({ length: 20000 }, (_, i) => ({ ph: 'X', pid: 0, tid: i % 2, ts: i, dur: 1.8, name: `task ${i}`, cat: i % 2 ? 'forward' : 'update' }));
  const rows = [0, 1].map((tid) => ({ ph: 'M', name: 'thread_name', pid: 0, tid, args: { name: `stream ${tid}` } }));
  writeFileSync(trace, JSON.stringify({ traceEvents: [...rows, ...tasks] }));
  return make('busy', 'report', result, '--timeline', trace);
};

const pages = {
  run: make('run', 'run', ...job, '--schedule', 'dear'),
  compare: make('compare', 'compare', ...job),
  sweep: make('sweep', 'compare', ...job, '--schedules', 'ddp,dear', '--nodes', '2,4,8,16'),
  scaling: make('scaling', 'compare', ...job, '--schedules', 'ddp,dear', '--nodes', '2,4,8', '--across', 'nodes'),
  map: make('map', 'compare', ...job, '--schedules', 'topka2a,topk-allgather', '--set', 'density=0.01,0.1', '--set',
    'cluster.nic.bandwidth=1Gbps,10Gbps', '--map', 'density'),
  tune: make('tune', 'tune', ...job, '--schedule', 'dear', '--option', 'fusion_buffer', '--trials', '5'),
  plan: make('plan', 'plan', '--workload', 'resnet50-rtx2080ti-bs64', '--clusters', 'rtx2080ti-16x4-10gbe,rtx2080ti-16x4-ib100', '--gpus', '8,16,32',
    '--samples', '1e7', '--deadline', '10h'),
  pipeline: make('pipeline', 'run', '--workload', 'transformer:layers=8,hidden=1024,heads=16,seq=1024,vocab=50304,device=a100', '--cluster',
    'dgx-a100', '--schedule', 'interleaved', '--layout', 'tp=1,pp=4,dp=2', '--set', 'global_batch=16', '--set', 'virtual_stages=2'),
  layouts: make('layouts', 'plan', '--workload', 'transformer:layers=8,hidden=1024,heads=16,seq=1024,vocab=50304', '--clusters', 'dgx-a100',
    '--gpus', '16', '--global-batch', '64'),
  diagnose: make('diagnose', 'diagnose', path.join(root, 'tests/golden/data/job.csv')),
  compared: make('compared', 'diagnose', path.join(root, 'tests/golden/data/job-mended.csv'), '--against',
    path.join(root, 'tests/golden/data/job.csv')),
  hostile: hostile(),
  thousand: thousand(),
  busy: busy(),
  broken: broken(),
};

const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
const open = async (name) => {
  const tab = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  const faults = [];
  tab.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()));
  tab.on('pageerror', (error) => faults.push(String(error)));
  tab.on('request', (request) => request.url().startsWith('file:') || request.url().startsWith('data:') ||
    request.url().startsWith('blob:') || faults.push('asks for ' + request.url()));
  await tab.goto(pathToFileURL(pages[name]).href);
  await tab.waitForSelector('html[data-ready=yes]', { timeout: 5000 });
  await tab.screenshot({ path: path.join(out, name + '.png'), fullPage: name !== 'thousand' });
  assert.deepEqual(faults, [], name);
  return tab;
};

const tests = {
  async 'every page draws without an error, in a file of at most 3 MB'() {
    for (const name of Object.keys(pages)) {
      assert.ok(statSync(pages[name]).size < 3e6, `${name}: ${statSync(pages[name]).size} bytes`);
      const tab = await open(name);
      assert.ok((await tab.locator('section').count()) > 0, name);
      await tab.close();
    }
  },
  async 'the page of a run shows the step, its parts and the timeline'() {
    const tab = await open('run');
    const facts = await tab.locator('.facts').first().innerText();
    assert.match(facts, /iteration time\s+[0-9.]+ ms/);
    for (const heading of ['Why', 'Where the step goes', 'Timeline', 'Critical path', 'Links', 'Memory'])
      assert.equal(await tab.locator('h2', { hasText: new RegExp(`^${heading}$`) }).count(), 1, heading);
    assert.ok((await tab.locator('.picture canvas').count()) >= 4);
    for (const heading of ['Where the step goes', 'Timeline', 'Links', 'Memory']) {
      const section = tab.locator('section', { has: tab.locator('h2', { hasText: new RegExp(`^${heading}$`) }) });
      assert.ok((await section.locator('tbody tr').count()) >= 2, heading);
    }
  },
  async 'the page of a pipeline shows what its figure shows: stages and the numbers of micro-batches'() {
    const tab = await open('pipeline');
    const drawn = await tab.locator('section img').evaluate((image) => ({ svg: decodeURIComponent(image.src), width: image.naturalWidth }));
    assert.ok(drawn.width > 1000, String(drawn.width));
    assert.match(drawn.svg, />7<\/text>/);
    const stages = tab.locator('section', { has: tab.locator('h2', { hasText: /^Stages$/ }) });
    assert.equal(await stages.locator('tbody tr').count(), 4);
    assert.equal(await tab.locator('h2', { hasText: /^Timeline$/ }).count(), 0);
    assert.match(await tab.locator('table').nth(0).innerText(), /pipeline bubble/);
  },
  async 'a result that is not whole says so'() {
    const tab = await open('broken');
    assert.match(await tab.locator('[role=alert]').innerText(), /could not be read/);
  },
  async 'a timeline of many tasks is drawn as far as they can be told apart'() {
    const tab = await open('busy');
    const bars = (zoom) => tab.evaluate((zoomed) => {
      const { chart } = pictures.find(({ name }) => name === 'Timeline');
      if (zoomed) chart.dispatchAction({ type: 'dataZoom', startValue: 4, endValue: 4.1 });
      return chart.getOption().series[0].data.map((bar) => bar[3]);
    }, zoom);
    await tab.waitForFunction(() => pictures.every(({ late }) => !late));
    console.log(`  20,000 tasks: drawn after ${Math.round(await tab.evaluate(() => performance.now()))} ms`);
    assert.deepEqual(await bars(false), ['10000 tasks', '10000 tasks']);
    const near = await bars(true);
    assert.ok(near.includes('task 4050') && near.length < 120, `${near.length} ${near.slice(0, 3)}`);
  },
  async 'the page of a plan shows the front, the best rows and what one change gains'() {
    const tab = await open('plan');
    assert.match(await tab.locator('.facts').first().innerText(), /best\s+[0-9]+ GPUs, rtx2080ti/);
    for (const heading of ['Why', 'Cost against time', 'Best rows', 'One change of the best', 'Notes'])
      assert.equal(await tab.locator('h2', { hasText: new RegExp(`^${heading}$`) }).count(), 1, heading);
    const drawn = () => tab.evaluate(() => pictures[0].chart.getDataURL());
    const before = await drawn();
    await tab.evaluate(() => pictures[0].chart.dispatchAction({ type: 'showTip', seriesIndex: 1, dataIndex: 0 }));
    await tab.waitForTimeout(200);
    assert.notEqual(await drawn(), before);
    const rows = tab.locator('section', { hasText: 'Best rows' }).last().locator('tbody tr');
    const all = await rows.count();
    await tab.locator('section', { hasText: 'Best rows' }).last().locator('input').fill('dear');
    assert.ok((await rows.count()) < all);
    const cut = await open('layouts');
    assert.equal(await cut.locator('h2', { hasText: /^Memory against time$/ }).count(), 1);
  },
  async 'the page of a diagnosis shows the verdict, the ranks and the other run'() {
    const tab = await open('diagnose');
    assert.match(await tab.locator('.verdict').innerText(), /^Slow: rank 2\./);
    const ranks = tab.locator('section', { hasText: 'Where the time of each rank goes' }).locator('tbody tr');
    assert.equal(await ranks.count(), 4);
    const section = (title) => tab.locator('section', { hasText: title });
    assert.match(await section('Collectives and messages that cost most').innerText(), /grads-reduce-scatter\s+0, 1, 2, 3\s+1/);
    assert.match(await section('With one thing better').innerText(), /no straggler\s+67\.53\s+97\.40?\s+-?30\.7 %/);
    assert.match(await section('Step times').innerText(), /recorded\s+97\.40?\s+97\.40?/);
    assert.match(await section('Longest stretches of the critical path').innerText(), /backward-compute/);
    const compared = await open('compared');
    assert.match(await compared.locator('section', { hasText: 'Against job.csv' }).innerText(), /-29\.6 %/);
  },
  async 'a table is filtered by words and sorted by a heading'() {
    const tab = await open('compare');
    const table = tab.locator('section', { hasText: 'Forecasts' }).last();
    const rows = table.locator('tbody tr');
    const all = await rows.count();
    await table.locator('input').fill('dear');
    assert.equal(await rows.count(), 1);
    await table.locator('input').fill('');
    assert.equal(await rows.count(), all);
    const times = async () => (await rows.locator('td:nth-child(3)').allInnerTexts()).map(Number);
    await table.getByRole('button', { name: 'iteration ms' }).press('Enter');
    const sorted = await times();
    assert.deepEqual(sorted, [...sorted].sort((a, b) => a - b));
    await table.getByRole('button', { name: 'iteration ms' }).click();
    assert.deepEqual(await times(), sorted.reverse());
  },
  async 'a tooltip says what a bar is'() {
    const tab = await open('run');
    const drawn = () => tab.evaluate(() => pictures[0].chart.getDataURL());
    const before = await drawn();
    await tab.evaluate(() => pictures[0].chart.dispatchAction({ type: 'showTip', seriesIndex: 1, dataIndex: 0 }));
    await tab.waitForTimeout(200);
    assert.notEqual(await drawn(), before);
  },
  async 'dark and light look different and both draw'() {
    const tab = await open('run');
    const colour = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await colour();
    await tab.getByRole('button', { name: /Dark|Light/ }).click();
    assert.notEqual(await colour(), before);
    await tab.screenshot({ path: path.join(out, 'run-other-theme.png') });
  },
  async 'pictures are saved as SVG and PNG'() {
    const tab = await open('run');
    for (const type of ['SVG', 'PNG']) {
      const [download] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('button', { name: type }).first().click()]);
      const file = path.join(out, 'saved.' + type.toLowerCase());
      await download.saveAs(file);
      assert.ok(readFileSync(file).length > 1000, type);
    }
  },
  async 'names that try to be markup are text'() {
    const tab = await open('hostile');
    assert.equal(await tab.evaluate(() => window.broken), undefined);
    assert.equal(await tab.locator('main img, main script').count(), 0);
    assert.match(await tab.locator('#subtitle').innerText(), /<script>/);
  },
  async 'a thousand rows are there within a second'() {
    const began = Date.now();
    const tab = await open('thousand');
    assert.equal(await tab.locator('section', { hasText: 'Forecasts' }).last().locator('tbody tr').count(), 1000);
    const ready = await tab.evaluate(() => performance.getEntriesByType('navigation')[0].domComplete);
    console.log(`  a thousand rows: page complete after ${Math.round(ready)} ms (${Date.now() - began} ms with the test)`);
  },
};

let failures = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log('ok: ' + name);
  } catch (error) {
    failures += 1;
    console.log('FAILED: ' + name + '\n' + error.stack);
  }
}
await browser.close();
process.exit(failures === 0 ? 0 : 1);
