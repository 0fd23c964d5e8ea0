/** Connections on which every message takes seconds: work ends, with success or an error, and acknowledged work is in the database. */
import { startTestDaemon } from '../helpers/daemon.ts';
import { urlThrough } from '../helpers/database.ts';
import { callHttp } from '../helpers/http.ts';
import { crawls, startTornLink } from '../helpers/torn-link.ts';
import type { Arena } from './arena.ts';
import type { Scene, Target } from './scene.ts';
import { openScene, patiently } from './scene.ts';

const allLegs = ['upstream', 'rest', 'proxy'] as const;
/** How long the service may take to recover. */
const recoveryMs = 5000;

/** Every round stages, proposes and approves on a slow connection, and again on a fast one. */
export async function openCrawls(
  legs: readonly (typeof allLegs)[number][] = allLegs,
  ways: readonly (typeof crawls)[number][] = crawls,
): Promise<Arena> {
  const scene = await openScene();
  const upstream = await startTornLink(scene.database);
  const flags = { upstream: urlThrough(upstream.port, scene.database) };
  const daemon = await startTestDaemon({ database: scene.database, flags });
  const host = '127.0.0.1';
  const rest = await startTornLink({ host, port: Number(new URL(daemon.restUrl).port) });
  const proxy = await startTornLink({ host, port: daemon.proxy.port });
  const links = { upstream, rest, proxy };
  const target = { restUrl: `http://${host}:${rest.port}`, proxyPort: proxy.port };
  return {
    round: async (random) => {
      const leg = random.pick(legs);
      const way = random.pick(ways);
      const [first = 0, second = 0] = await scene.newRows();
      const session = await daemon.newSession();
      const raise = (row: number) =>
        scene.write(target, session, `UPDATE account SET balance = balance + 1 WHERE id = ${row}`);
      await raise(first);

      links[leg].tearAt(way, 0);
      const isAcknowledged = await raise(second).then(
        () => true,
        () => false,
      );
      const reported = [
        await post(target, session, 'propose'),
        await post(target, session, 'approve'),
      ];
      links[leg].mend();

      const anomalies = reported.filter((answer) => answer.startsWith('500'));
      await patiently(async () => {
        await post(target, session, 'propose');
        const answer = await post(target, session, 'approve');
        const { body } = await callHttp(target.restUrl, 'GET', `/sessions/${session}`);
        if (body.status !== 'approved') throw new Error(`${answer}, ${body.status}`);
      }, recoveryMs).catch((error: Error) => anomalies.push(error.message));
      const balances = await balancesOf(scene, [first, second]);
      const expected = isAcknowledged ? ['1,1'] : ['1,1', '1,0'];
      if (!expected.includes(balances)) anomalies.push(`balances ${balances}`);
      const counts = [`${leg} ${way}: staged ${isAcknowledged}, then ${reported.join(', ')}`];
      return { label: `${leg} ${way}`, counts, anomalies };
    },
    close: async () => {
      const left = await scene.verify();
      await daemon.stop();
      for (const link of Object.values(links)) await link.stop();
      await scene.close();
      return left;
    },
  };
}

async function post({ restUrl }: Target, session: string, what: string): Promise<string> {
  const answer = await callHttp(restUrl, 'POST', `/sessions/${session}/${what}`, {
    json: {},
  }).catch((error: Error) => ({ status: error.message, body: { error: '' } }));
  return `${answer.status} ${answer.body.error ?? ''}`.trim();
}

async function balancesOf({ database }: Scene, rows: readonly number[]): Promise<string> {
  const found = await database.query<{ balance: number }>(
    `SELECT balance FROM account WHERE id IN (${rows.join(', ')}) ORDER BY id`,
  );
  return found.map(({ balance }) => balance).join();
}
