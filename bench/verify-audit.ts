/**
 * The number of audit entries that are verified in a second: `npm run bench:audit`.
 * BENCH_ENTRIES (100000) is their number. Processor time is printed, too, because it is stable on a busy machine.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../src/daemon/embedded/embedded.ts';
import { createLog } from '../src/log.ts';
import { approveSession } from '../src/review/decisions/approve.ts';
import { proposeSession } from '../src/review/decisions/propose.ts';
import { verifyAudit } from '../src/review/verify-audit.ts';
import { anyCluster } from '../test/helpers/any-cluster.ts';
import { createStagingDatabase } from '../test/helpers/staging-database.ts';

const entries = Number(process.env['BENCH_ENTRIES'] ?? 100_000);
const rounds = 5;

const directory = await mkdtemp(join(tmpdir(), 'stage-bench-'));
const log = createLog('silent', process.stderr);
const server = await startEmbedded({
  clusters: anyCluster,
  directory,
  log,
  settings: { fsync: 'off' },
});
process.env['STAGE_TEST_UPSTREAM'] = server.url;
const staging = await createStagingDatabase(
  'CREATE TABLE t (id int PRIMARY KEY, v text, n numeric, at timestamptz DEFAULT now())',
);
const session = await staging.open();
await staging.stage(
  session,
  `INSERT INTO t SELECT g, 'value ' || g, g / 3.0 FROM generate_series(1, ${entries}) g`,
);
await proposeSession(staging.service, session);
await approveSession(staging.service, session, { approvedBy: 'bench', digest: null });

const perSecond = (ms: number) => Math.round((entries / ms) * 1000).toLocaleString('en');
for (let round = 0; round < rounds; round += 1) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const { ok } = await verifyAudit(staging.service);
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  const own = perSecond((user + system) / 1000);
  process.stdout.write(
    `${ok ? 'intact' : 'CHANGED'}: ${perSecond(wall)} entries/s, ${own} per second of this process\n`,
  );
}
await staging.close();
await server.stop();
await rm(directory, { recursive: true });
