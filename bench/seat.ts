/**
 * The review page, lists, briefs and events beside many changes, sessions and clients: `npm run bench:seat -- [part...]`, which builds
 * first. The parts are rows, lists, overlaps, reviewers and waits. Needs Chromium. BENCH_ROWS (1000000) is the number of changes of one session,
 * BENCH_SESSIONS (10000) that of sessions, of which 100 have BENCH_EACH (10000) staged rows and a card, BENCH_OPEN (1000) that of open
 * sessions, BENCH_WAITING (2000) that of clients. The times are the client's, in milliseconds.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../src/daemon/embedded/embedded.ts';
import { createLog } from '../src/log.ts';
import { anyCluster } from '../test/helpers/any-cluster.ts';
import { startBrowser } from '../test/helpers/browser.ts';
import { startBuiltDaemon } from './daemon.ts';
import { manySessions } from './seat/lists.ts';
import { overlaps } from './seat/overlaps.ts';
import { reviewers } from './seat/reviewers.ts';
import { manyRows } from './seat/rows.ts';
import { print } from './seat/scene.ts';
import { waits } from './seat/waits.ts';

const directory = await mkdtemp(join(tmpdir(), 'stage-seat-'));
const server = await startEmbedded({
  clusters: anyCluster,
  directory,
  log: createLog('silent', process.stderr),
  settings: { fsync: 'off', max_wal_size: '4GB', shared_preload_libraries: 'pg_stat_statements' },
});
const daemon = await startBuiltDaemon(server.url, directory, '.', ['--web', 'on']);
const browser = await startBrowser();
const parts = { rows: manyRows, lists: manySessions, overlaps, reviewers, waits };
const chosen = process.argv.slice(2);
try {
  for (const [name, work] of Object.entries(parts))
    if (chosen.length === 0 || chosen.includes(name))
      await work({ server: server.url, daemon, browser });
  print(
    'load of the machine',
    loadavg()
      .map((load) => load.toFixed(1))
      .join(' '),
  );
} finally {
  await browser.stop();
  await daemon.stop();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
