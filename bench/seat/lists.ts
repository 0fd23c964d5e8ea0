import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sessionOf } from '../daemon.ts';
import type { Scene } from './scene.ts';
import { ask, count, least, memory, print, query, since, sizes, until } from './scene.ts';

const sessions = count('BENCH_SESSIONS', 10_000);
const each = count('BENCH_EACH', 10_000);
const withCards = 100;
const run = promisify(execFile);
const large = { maxBuffer: 64 * 1024 * 1024 };

/** Reads a list to its end. Returns the paths of its pages. */
async function cursorsOf(scene: Scene, path: string): Promise<string[]> {
  const paths = [path];
  for (;;) {
    const { next_cursor: next } = JSON.parse(await ask(scene, 'GET', paths.at(-1) ?? path));
    if (next === null) return paths;
    paths.push(`${path}&cursor=${next}`);
  }
}

/** Lists of `BENCH_SESSIONS` proposed sessions, most of them empty. */
export async function manySessions(scene: Scene): Promise<void> {
  const { server, daemon, browser } = scene;
  await query(
    server,
    `CREATE TABLE common (id int PRIMARY KEY, price numeric(12,2), v text);
     INSERT INTO common SELECT g, g % 97, 'v' FROM generate_series(1, ${each}) g; ANALYZE common`,
  );
  for (let n = 0; n < withCards; n += 1) {
    const url = await daemon.newSession('production');
    await query(url, `UPDATE common SET price = price * 1.1, v = 'n${n}'`);
    await ask(scene, 'POST', `/sessions/${sessionOf(url)}/propose`);
  }
  const last = async () =>
    JSON.parse(await ask(scene, 'GET', '/sessions?limit=100&status=proposed&card=true'));
  const start = performance.now();
  const missing = ({ sessions: all }: { sessions: { card: { digest: string } | null }[] }) =>
    all.some(({ card }) => card === null || card.digest === null);
  while (missing(await last())) await sleep(500);
  print(`${withCards} cards of ${each} changes each, after the last proposal`, since(start));
  print(
    `list of ${withCards} sessions`,
    await least(() => ask(scene, 'GET', '/sessions?limit=100&status=proposed')),
  );
  print(
    'list of them with cards',
    await least(() => ask(scene, 'GET', '/sessions?limit=100&status=proposed&card=true')),
  );
  await query(
    server,
    `INSERT INTO stage.session (id, project_id, metadata, reads, conflict_scope, status, proposed_at, sealed, mutation_count, round, created_at)
     SELECT md5(g::text)::uuid, 'default', '{"title": "many"}', 'production', 'row', 'proposed', now(), 1, 0, 1, now() - g * interval '1 s'
     FROM generate_series(1, ${sessions}) g;
     SELECT stage.emit(s.id, s.project_id, 'proposed', NULL, '{}') FROM stage.session s WHERE s.metadata ->> 'title' = 'many'; ANALYZE`,
  );
  const all = '/sessions?limit=100&status=proposed&card=true';
  print(`${sessions} sessions: first page`, await least(() => ask(scene, 'GET', all)));
  const pages = await cursorsOf(scene, all);
  print(`last of ${pages.length} pages`, await least(() => ask(scene, 'GET', pages.at(-1) ?? all)));
  print('the same by offset', await least(() => ask(scene, 'GET', `${all}&offset=${sessions}`)));
  print('all pages', await least(() => cursorsOf(scene, all), 1));
  const list = ['bin/stage.js', 'session', 'list', '--all', '-o', 'tsv', '--server', daemon.rest];
  print('stage session list --all', await least(() => run(process.execPath, list, large)));
  print('search', await least(() => ask(scene, 'GET', '/sessions?limit=100&search=nothing')));
  print('1,000 events', await least(() => ask(scene, 'GET', '/events?limit=1000')));
  const tab = await browser.open();
  const shown = performance.now();
  await tab.goTo(`${daemon.rest}/review`);
  print('inbox', await until(tab, "document.querySelectorAll('.sessions li').length >= 50", shown));
  print('in the browser', await sizes(tab));
  const news = performance.now();
  const url = await daemon.newSession('production');
  await query(url, `UPDATE common SET v = 'news' WHERE id = 1`);
  const proposing = performance.now();
  await ask(scene, 'POST', `/sessions/${sessionOf(url)}/propose`);
  const short = sessionOf(url).slice(5, 13);
  await until(tab, `document.querySelector('.sessions').innerText.includes('${short}')`, news);
  print("from propose to the inbox's news", since(proposing));
  print('memory of the daemon', await memory(scene));
}
