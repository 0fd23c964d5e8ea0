import { setTimeout as sleep } from 'node:timers/promises';
import { sessionOf } from '../daemon.ts';
import { briefs } from './briefs.ts';
import type { Scene } from './scene.ts';
import { approving, ask, count, memory, print, query, since, sizes, until } from './scene.ts';

const rows = count('BENCH_ROWS', 1_000_000);

/** Measures the page of one session with `BENCH_ROWS` changes, as soon as it is proposed. */
export async function manyRows(scene: Scene): Promise<void> {
  const { server, daemon, browser } = scene;
  await query(
    server,
    `CREATE TABLE large (id int PRIMARY KEY, price numeric(12,2), v text);
     INSERT INTO large SELECT g, g % 997, 'value ' || g FROM generate_series(1, ${rows}) g; ANALYZE large`,
  );
  const url = await daemon.newSession('production');
  const id = sessionOf(url);
  await query(url, 'UPDATE large SET price = price * 1.1 + 1');
  await briefs(scene, id);
  print('memory of the daemon before', await memory(scene));
  await ask(scene, 'POST', `/sessions/${id}/propose`);
  const proposed = performance.now();
  const tab = await browser.open();
  const start = performance.now();
  await tab.goTo(`${daemon.rest}/review/${id}`);
  print(
    'head of the session after the start',
    await until(tab, "document.querySelector('.status')", start),
  );
  print(
    'first rows after the start',
    await until(tab, "document.querySelector('.rows .line')", start),
  );
  print('outline', await until(tab, "document.querySelector('.tables .counts')", start));
  print('brief', await until(tab, "document.querySelector('.brief li')", start));
  print(
    'Approve is enabled',
    await until(tab, "document.querySelector('[data-action=approve]')?.disabled === false", start),
  );
  print('in the browser', await sizes(tab));
  const card = async () => JSON.parse(await ask(scene, 'GET', `/sessions?limit=1&card=true`));
  while ((await card()).sessions[0].card?.digest == null) await sleep(200);
  print('card and digest are stored after the proposal', since(proposed));
  const again = performance.now();
  await tab.goTo(`${daemon.rest}/review/${id}?again`);
  print(
    'with the card: first rows',
    await until(tab, "document.querySelector('.rows .line')", again),
  );
  print('with the card: brief', await until(tab, "document.querySelector('.brief li')", again));
  print(
    'with the card: Approve is enabled',
    await until(tab, "document.querySelector('[data-action=approve]')?.disabled === false", again),
  );
  const end = performance.now();
  await tab.evaluate(
    "[...document.querySelectorAll('.pager button')].find((b) => b.innerText === 'Last').click()",
  );
  const last = rows.toLocaleString('en-US');
  print(
    'end of the list',
    await until(tab, `document.querySelector('.pager').innerText.includes('–${last} of')`, end),
  );
  print('in the browser at the end', await sizes(tab));
  print('memory of the daemon', await memory(scene));
  await approving(tab, id);
  const pressed = performance.now();
  await tab.click('dialog button', 'Approve');
  const approved = "document.querySelector('.status')?.innerText === 'approved'";
  print('from Approve to its outcome', await until(tab, approved, pressed));
  print('memory of the daemon', await memory(scene));
}
