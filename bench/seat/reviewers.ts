import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionOf, startBuiltDaemon } from '../daemon.ts';
import type { Scene } from './scene.ts';
import { approving, ask, print, query, until } from './scene.ts';

const times = 5;
const isLive = "document.querySelector('.live')?.innerText === 'live'";

/** What reviewers at two daemons hear of each other, and of authors: the longest of several times. */
export async function reviewers(scene: Scene): Promise<void> {
  const { server, daemon, browser } = scene;
  const home = await mkdtemp(join(tmpdir(), 'stage-seat-'));
  const second = await startBuiltDaemon(server, home, '.', ['--web', 'on']);
  try {
    await query(
      server,
      `CREATE TABLE few (id int PRIMARY KEY, v int); INSERT INTO few SELECT g, 0 FROM generate_series(1, 100) g; ANALYZE few`,
    );
    const proposed = async (n: number) => {
      const url = await daemon.newSession('production');
      await query(url, `UPDATE few SET v = v + 1 WHERE id = ${n}`);
      return sessionOf(url);
    };
    const [one, other] = [await browser.open(), await browser.open()];
    const longest = { news: 0, loser: 0 };
    for (let n = 1; n <= times; n += 1) {
      const id = await proposed(n);
      await other.goTo(`${second.rest}/review`);
      await until(other, isLive, performance.now());
      const start = performance.now();
      await ask(scene, 'POST', `/sessions/${id}/propose`);
      const shown = `document.querySelector('.sessions').innerText.includes('${id.slice(5, 13)}')`;
      await until(other, shown, start);
      longest.news = Math.max(longest.news, performance.now() - start);
      await one.goTo(`${daemon.rest}/review/${id}`);
      await other.goTo(`${second.rest}/review/${id}`);
      for (const tab of [one, other]) {
        await until(tab, isLive, performance.now());
        await approving(tab, id);
      }
      const race = performance.now();
      await Promise.all([
        one.click('dialog button', 'Approve'),
        other.click('dialog button', 'Approve'),
      ]);
      const reported = `document.querySelector('.status')?.innerText === 'approved' || document.body.innerText.includes('approved by')
        || document.querySelector('dialog .fault')?.innerText.includes('approved')`;
      await Promise.all([one, other].map((tab) => until(tab, reported, race)));
      longest.loser = Math.max(longest.loser, performance.now() - race);
    }
    print("from propose to the news in another daemon's inbox", `${longest.news.toFixed(0)} ms`);
    print('two reviewers approve at once: until both know', `${longest.loser.toFixed(0)} ms`);
  } finally {
    await second.stop();
    await rm(home, { recursive: true, force: true });
  }
}
