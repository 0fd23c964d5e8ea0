/** Backups of a database with sessions, by the roles that make them, with the real pg_dump and a real restore. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examineService } from '../../src/daemon/doctor/examine.ts';
import { startDaemon } from '../../src/daemon/start.ts';
import { createDatabase } from '../../src/db/database.ts';
import type { Cluster } from '../helpers/clusters.ts';
import { runProgram, startCluster } from '../helpers/clusters.ts';
import { testConfig } from '../helpers/daemon.ts';
import { callHttp } from '../helpers/http.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const roles = `
CREATE ROLE application LOGIN PASSWORD 'pw'; CREATE ROLE backup LOGIN PASSWORD 'pw' BYPASSRLS; GRANT pg_read_all_data TO backup;
CREATE ROLE service LOGIN PASSWORD 'pw'`;
const tables = `
GRANT CREATE ON DATABASE shop TO service; GRANT CREATE, USAGE ON SCHEMA public TO application; SET ROLE application;
CREATE TABLE items (id int PRIMARY KEY, v text); INSERT INTO items VALUES (1, 'one');
GRANT SELECT, INSERT, UPDATE, DELETE ON items TO service`;

suite('backups', (test) => {
  test(
    'by the owner of the tables leave the service out, those of a backup role hold all of it',
    async () => {
      const cluster = await startCluster();
      const folder = await mkdtemp(join(tmpdir(), 'stage-backup-'));
      try {
        await prepare(cluster);
        const dump = (role: string, ...args: string[]) =>
          runProgram('pg_dump', [`--dbname=${urlFor(cluster, role)}`, ...args]);
        const refused = await rejects(dump('application'));
        assert.match(refused.message, /permission denied for (table|schema|sequence)/);
        const plain = await dump('application', '--exclude-schema=stage*');
        assert.match(plain, /COPY public\.items/);
        assert.not.match(plain, /stage/);
        assert.equal(await ownersWarnedOf(cluster), ['application']);
        const file = join(folder, 'dump');
        await dump('backup', '--format=custom', `--file=${file}`);
        await cluster.query('postgres', 'CREATE DATABASE restored');
        await runProgram('pg_restore', [
          '--exit-on-error',
          `--dbname=${cluster.urlOf('restored')}`,
          file,
        ]);
        const [row] = await cluster.query(
          'restored',
          'SELECT count(*)::int AS n FROM stage.session',
        );
        assert.equal(row, { n: 1 });
      } finally {
        await rm(folder, { recursive: true });
        await cluster.stop();
      }
    },
    { timeout: 120_000 },
  );
});

function urlFor(cluster: Cluster, role: string): string {
  const url = new URL(cluster.urlOf('shop'));
  url.username = role;
  url.password = 'pw';
  return url.href;
}

async function prepare(cluster: Cluster): Promise<void> {
  await cluster.query('postgres', roles);
  await cluster.query('postgres', 'CREATE DATABASE shop');
  await cluster.query('shop', tables);
  const stderr = { write: () => undefined };
  const config = testConfig({ upstream: urlFor(cluster, 'service') });
  const daemon = await startDaemon(config, { env: {}, stderr, version: '0' });
  try {
    assert.is((await callHttp(daemon.restUrl, 'POST', '/sessions', { json: {} })).status, 201);
  } finally {
    await daemon.stop();
  }
}

async function ownersWarnedOf(cluster: Cluster): Promise<readonly string[] | undefined> {
  const db = createDatabase({ url: urlFor(cluster, 'service') });
  try {
    const findings = await examineService(db, { maxConnections: null, conflictIgnoreColumns: [] });
    return findings.find(({ name }) => name === 'owner_backup')?.subjects;
  } finally {
    await db.close();
  }
}
