/** Planted secrets, searched for in all output of a daemon's life: log, errors, metrics, health, help. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Shell } from '../cli/stage.ts';
import { createShell } from '../cli/stage.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { Sent } from '../helpers/http.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const secrets = {
  upstreamPassword: 'planted-upstream-p@ss',
  clientPassword: 'planted-client-pass',
  token: 'planted-token-of-env',
  hashedToken: 'planted-token-of-file',
  offeredToken: 'planted-token-unknown',
};
/** Only the client itself and the reviewer see these. */
const data = ['planted-literal', 'planted-parameter', 'planted-metadata'];

const hash = createHash('sha256').update(secrets.hashedToken).digest('hex');

suite('secrets', (test) => {
  let database: TestDatabase;
  let service: TestRole;
  let user: TestRole;
  let shell: Shell;
  let daemon: TestDaemon;
  /** Output that anybody may see. */
  const said: string[] = [];
  /** Responses to callers with a token, and to clients. */
  const answered: string[] = [];

  test.before(async () => {
    database = await createTestDatabase();
    service = await createRole(
      database,
      `ALTER ROLE $role SUPERUSER PASSWORD '${secrets.upstreamPassword}'`,
    );
    user = await createRole(
      database,
      `ALTER ROLE $role SUPERUSER PASSWORD '${secrets.clientPassword}'`,
    );
    shell = await createShell();
    const file = join(shell.folder, 'tokens');
    writeFileSync(file, `ann reviewer sha256:${hash}\n`, { mode: 0o600 });
    daemon = await startTestDaemon({
      database,
      flags: { upstream: upstreamUrl(), tokenFile: file },
      env: { STAGE_TOKEN: secrets.token },
    });
  });
  test.after(async () => {
    await daemon.stop();
    await shell.clear();
    await user.drop();
    await service.drop();
    await database.drop();
  });

  const upstreamUrl = () => database.urlFor(service.name, secrets.upstreamPassword);

  async function call(method: string, path: string, sent: Sent = {}, token = secrets.token) {
    const headers = { authorization: `Bearer ${token}`, ...sent.headers };
    const answer = await daemon.call(method, path, { ...sent, headers });
    answered.push(JSON.stringify(answer.headers), answer.text);
    return answer;
  }

  async function ask(client: pg.Client, text: string, values?: unknown[]): Promise<void> {
    await client.query(text, values).catch((error) => answered.push(JSON.stringify(error)));
  }

  test('a life with everything that goes right and wrong', async () => {
    const metadata = { note: data[2] };
    const created = await call('POST', '/sessions', { json: { metadata } });
    const id = created.body.session_id;
    const url = daemon.clientUrl(id, user.name, secrets.clientPassword);
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    await ask(client, `UPDATE products SET name = 'planted-literal' WHERE sku = 'MUG-01'`);
    await ask(client, 'INSERT INTO customers (email, name) VALUES ($1, $1)', [data[1]]);
    await ask(client, 'INSERT INTO customers (email, name) VALUES ($1, $1)', [data[1]]);
    await ask(client, 'INSERT INTO customers (email, name) VALUES ($1, NULL)', [data[1]]);
    await ask(client, `SELECT 'planted-literal'::int`);
    await ask(client, `SELECT 'planted-literal' FORM`);
    await ask(client, `CREATE TABLE x AS SELECT 'planted-literal'`);
    await ask(client, `COPY (SELECT 'planted-literal') TO PROGRAM 'planted-literal'`);
    await ask(client, `SELECT set_config('stage.session', 'planted-literal', false)`);
    await client.end();

    for (const wrong of [
      daemon.clientUrl(`sess_${'0'.repeat(32)}`, 'nobody', secrets.clientPassword),
      daemon.clientUrl(id, 'nobody', secrets.clientPassword),
      url.replace(database.name, 'another'),
    ]) {
      const refused = new pg.Client({ connectionString: wrong });
      refused.on('error', () => undefined);
      await refused.connect().catch((error) => answered.push(JSON.stringify(error)));
      await refused.end().catch(() => undefined);
    }

    await call('GET', '/sessions', {}, secrets.offeredToken);
    await call('POST', '/sessions', { raw: '{"token": "planted-token-unknown' });
    await call('POST', '/sessions', { json: {} }, secrets.hashedToken);
    for (const path of ['', '/diff', '/mutations', '/conflicts'])
      await call('GET', `/sessions/${id}${path}`);
    await call('POST', `/sessions/${id}/propose`);
    await database.query(`UPDATE products SET name = 'planted-literal too' WHERE sku = 'MUG-01'`);
    await call('POST', `/sessions/${id}/approve`, { json: {} }, secrets.hashedToken);
    await database.query(`UPDATE products SET name = 'Mug' WHERE sku = 'MUG-01'`);
    await call('POST', `/sessions/${id}/approve`, { json: { approved_by: 'x' } });
    await call('POST', `/sessions/${id}/reject`, { json: { reason: 'r' } }, secrets.hashedToken);
    await call('GET', '/audit?project_id=default');

    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${service.name}'`,
    );
    await until(async () => (await call('GET', '/health')).status === 200);
    for (const path of ['/health', '/livez', '/readyz', '/metrics', '/info', '/openapi.json']) {
      said.push((await call('GET', path)).text);
    }
    assert.ok(answered.join('').includes('planted-parameter'), 'the reviewer does see the data');
  });

  test('a life without an upstream', async () => {
    const url = new URL(upstreamUrl());
    url.port = '1';
    const lost = await startTestDaemon({
      database,
      flags: { upstream: url.href },
      env: { STAGE_TOKEN: secrets.token },
    });
    try {
      const headers = { authorization: `Bearer ${secrets.token}` };
      for (const path of ['/health', '/readyz', '/sessions', '/metrics', '/info']) {
        const { status, text } = await lost.call('GET', path, { headers });
        if (path === '/health') assert.is(status, 503);
        said.push(text);
      }
    } finally {
      await lost.stop();
    }
    said.push(...lost.logged);
  });

  test('what the command line says', async () => {
    const env = { STAGE_TOKEN: secrets.token, STAGE_UPSTREAM: upstreamUrl(), STAGE_TOKEN_FILE: '' };
    const server = { ...env, STAGE_SERVER: daemon.restUrl };
    for (const [args, more] of [
      [['serve', '--print-config'], env],
      [['serve', '--help'], env],
      [['serve', '--port', 'x'], env],
      [['--help'], env],
      [['session', 'list', '--debug'], { ...server, STAGE_TOKEN: secrets.offeredToken }],
      [['session', 'list', '--verbose'], { ...server, STAGE_SERVER: 'http://127.0.0.1:1' }],
      [['status', '--json'], server],
    ] as const) {
      const { stdout, stderr } = await shell.run(args, { env: more });
      assert.ok(stdout + stderr !== '');
      said.push(stdout, stderr);
    }
  });

  test('none of it holds a secret', async () => {
    said.push(...daemon.logged);
    assert.ok(said.length > 60, 'there is something to look through');
    const public_ = said.join('\n');
    for (const secret of [...Object.values(secrets), hash, ...data]) {
      for (const form of [secret, encodeURIComponent(secret)]) {
        const at = public_.indexOf(form);
        assert.is(at, -1, `${form} in: ${public_.slice(Math.max(0, at - 200), at + 80)}`);
      }
    }
    const answers = answered.join('\n');
    for (const secret of [...Object.values(secrets), hash]) {
      const at = answers.indexOf(secret);
      assert.is(at, -1, `${secret} in: ${answers.slice(Math.max(0, at - 200), at + 80)}`);
    }
  });
});
