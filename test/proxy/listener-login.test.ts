/** Logins through the listener, by every method that is relayed, with real clients and a real server. */
import pg from 'pg';
import postgres from 'postgres';
import { decodeBackendKeyData, decodeParameterStatus } from '../../src/wire/backend-decoder.ts';
import { backend } from '../../src/wire/message-codes.ts';
import { startupMessage } from '../../src/wire/startup.ts';
import type { LoginServer } from '../helpers/login-server.ts';
import { psql, startLoginServer } from '../helpers/login-server.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import type { TestListener } from '../helpers/test-listener.ts';
import { connectRaw, startTestListener } from '../helpers/test-listener.ts';

/** Runs one query with node-postgres. Returns its first row. */
async function ask(url: string, text: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, string>>(text);
    return rows[0] ?? {};
  } finally {
    await client.end();
  }
}

const whoami = "SELECT current_user AS who, current_setting('stage.session') AS session";

suite('proxy: login', (test) => {
  let server: LoginServer;
  let listener: TestListener;
  test.before(async () => {
    server = await startLoginServer();
    listener = await startTestListener({ upstream: server.url });
  });
  test.after(async () => {
    await listener.stop();
    await server.stop();
  });

  for (const [method, user] of [
    ['trust', 'trusted'],
    ['cleartext password', 'clear'],
    ['md5', 'hashed'],
    ['SCRAM-SHA-256', 'scrammed'],
    ['SCRAM-SHA-256 over an encrypted upstream only', 'encrypted'],
    ['SCRAM-SHA-256 over a plain upstream only', 'unencrypted'],
  ] as const) {
    test(`${method}: node-postgres`, async () => {
      const row = await ask(listener.url(user, user), whoami);
      assert.equal(row, { who: user, session: listener.session.id.slice(5) });
    });

    test(`${method}: postgres.js`, async () => {
      const sql = postgres(listener.url(user, user), {
        max: 1,
        connection: { application_name: 'app' },
      });
      const [row] =
        await sql`SELECT current_user AS who, current_setting('application_name') AS app`;
      await sql.end();
      assert.equal({ ...row }, { who: user, app: 'app' });
    });

    test(`${method}: psql`, async () => {
      assert.equal(await psql(listener.url(user, user), whoami), {
        code: 0,
        out: `${user}|${listener.session.id.slice(5)}`,
        err: '',
      });
    });
  }

  test('relays the refusal of a wrong password', async () => {
    for (const user of ['clear', 'hashed', 'scrammed']) {
      const error = await rejects(ask(listener.url(user, 'wrong'), 'SELECT 1'));
      assert.is(error.code, '28P01', user);
      assert.is(error.message, `password authentication failed for user "${user}"`);
    }
    const refused = await psql(listener.url('scrammed', 'wrong'), 'SELECT 1');
    assert.match(refused.err, /password authentication failed for user "scrammed"/);
  });

  test('relays the refusal of a role that is rejected or does not exist', async () => {
    assert.is((await rejects(ask(listener.url('rejected', 'x'), 'SELECT 1'))).code, '28000');
    assert.is((await rejects(ask(listener.url('scrammed2', 'x'), 'SELECT 1'))).code, '28000');
  });

  test('works over the Unix socket', async () => {
    const local = await startTestListener({ upstream: server.socketUrl });
    const row = await ask(local.url('clear', 'not-asked-for'), whoami);
    await local.stop();
    assert.is(row['who'], 'clear');
  });

  test('pins its settings whatever the client and the role ask for', async () => {
    const session = `-c service_session=${listener.session.id}`;
    await server.query('ALTER ROLE trusted SET default_transaction_read_only = off');
    await server.query('ALTER ROLE trusted SET standard_conforming_strings = off');
    await server.query("ALTER ROLE trusted SET stage.session = 'ffffffffffffffffffffffffffffffff'");
    const pinned = `SELECT current_setting('default_transaction_read_only') AS "readOnly",
      current_setting('transaction_read_only') AS now, current_setting('client_encoding') AS encoding,
      current_setting('standard_conforming_strings') AS strings, current_setting('stage.session') AS session`;
    for (const options of [
      session,
      `${session} -c default_transaction_read_only=off -c standard_conforming_strings=on`,
      `--Default-Transaction-Read-Only=off ${session} -c STANDARD_CONFORMING_STRINGS=1`,
      `${session} -c transaction_read_only=off -c client_encoding=SQL_ASCII`,
    ]) {
      assert.equal(
        await ask(listener.url('trusted', '', options), pinned),
        {
          readOnly: 'on',
          now: 'on',
          encoding: 'UTF8',
          strings: 'on',
          session: listener.session.id.slice(5),
        },
        options,
      );
    }
    assert.is(
      (await rejects(ask(listener.url('trusted', ''), 'CREATE TABLE t (i int)'))).code,
      '25006',
    );
    await server.query('ALTER ROLE trusted RESET standard_conforming_strings');
  });

  test('refuses settings that SET refuses, before the upstream is asked', async () => {
    const nowhere = await startTestListener({ upstream: 'postgresql://127.0.0.1:1/postgres' });
    const session = `-c service_session=${nowhere.session.id}`;
    for (const options of [
      `${session} -c session_replication_role=replica`,
      `--Session-Replication-Role=replica ${session}`,
      `${session} -O`,
    ]) {
      const refused = await rejects<pg.DatabaseError>(
        ask(nowhere.url('postgres', '', options), 'SELECT 1'),
      );
      assert.equal([refused.severity, refused.code], ['FATAL', '55P02'], options);
      assert.match(refused.message, /^parameter "\w+" cannot be changed in a staged session$/);
    }
    await nowhere.stop();
  });

  for (const [what, value] of [
    ['ROLE trusted', 'replica'],
    ['DATABASE postgres', 'replica'],
    ['ROLE trusted IN DATABASE postgres', 'local'],
    ['ROLE ALL', 'replica'],
  ]) {
    test(`refuses a connection for which ALTER ${what} has turned triggers off`, async () => {
      await server.query(`ALTER ${what} SET session_replication_role = ${value}`);
      const refused = await rejects<pg.DatabaseError>(ask(listener.url('trusted', ''), 'SELECT 1'));
      await server.query(`ALTER ${what} RESET session_replication_role`);
      assert.equal([refused.severity, refused.code], ['FATAL', '55P02']);
      assert.is(refused.message, `session_replication_role is "${value}", not "origin"`);
      assert.match(refused.hint ?? '', /RESET session_replication_role/);
      assert.is((await ask(listener.url('trusted', ''), whoami))['who'], 'trusted');
    });
  }

  test('passes other options and parameters on, in order', async () => {
    const options = `-c search_path="a\\ b",c -c service_session=${listener.session.id} --work-mem=1234kB -e -c search_path=d\\\\e -S 99`;
    const row = await ask(
      `${listener.url('trusted', '', options)}&application_name=x%20y`,
      `SELECT current_setting('search_path') AS path, current_setting('work_mem') AS mem,
        current_setting('datestyle') AS dates, current_setting('application_name') AS app`,
    );
    assert.equal(row, { path: 'd\\e', mem: '99kB', dates: 'ISO, DMY', app: 'x y' });
  });

  test('lets the upstream refuse what it does not know', async () => {
    const options = `-c service_session=${listener.session.id} -c no_such_setting=1`;
    const error = await rejects(ask(listener.url('trusted', '', options), 'SELECT 1'));
    assert.match(error.message, /unrecognized configuration parameter "no_such_setting"/);
  });

  test('satisfies clients that look for a server they can write to', async () => {
    const url = `${listener.url('trusted', '')}&target_session_attrs=read-write`;
    assert.equal(await psql(url, 'SELECT 1'), { code: 0, out: '1', err: '' });
    const readOnly = `-c service_session=${listener.session.id} -c default_transaction_read_only=on`;
    const asked = await psql(
      `${listener.url('trusted', '', readOnly)}&target_session_attrs=read-write`,
      'SELECT 1',
    );
    assert.match(asked.err, /session is read-only/);
  });

  test('tells the client what it would hear from the server, save two things', async () => {
    const parameters = [
      ['user', 'trusted'],
      ['database', 'postgres'],
    ] as const;
    const hear = async (port: number, startup: Buffer) => {
      const { stream, socket } = await connectRaw(port, startup);
      const heard = new Map<string, string>();
      let key = '';
      for (;;) {
        const message = await stream.next();
        if (message.type === backend.readyForQuery) break;
        if (message.type === backend.backendKeyData)
          key = decodeBackendKeyData(message.payload).secret.toString('hex');
        if (message.type !== backend.parameterStatus) continue;
        const { name, value } = decodeParameterStatus(message.payload);
        heard.set(name, value);
      }
      socket.destroy();
      return { heard: Object.fromEntries(heard), key };
    };
    const direct = await hear(server.port, startupMessage(parameters));
    const session = ['service_session', listener.session.id] as const;
    const through = await hear(listener.port, startupMessage([...parameters, session]));
    assert.equal(through.heard, direct.heard);
    assert.is(through.heard['default_transaction_read_only'], 'off');
    assert.is(through.key.length, 8);
    assert.is.not(through.key, direct.key);
  });

  test('hands over the session, the mode of reads and the access mode', async () => {
    const staged = await startTestListener({ upstream: server.url, reads: 'staged' });
    const session = `-c service_session=${staged.session.id}`;
    await ask(staged.url('trusted', ''), 'SELECT 1');
    await ask(staged.url('trusted', '', `${session} -c service_reads=production`), 'SELECT 1');
    await ask(
      staged.url('trusted', '', `${session} -c default_transaction_read_only=true`),
      'SELECT 1',
    );
    await staged.stop();
    assert.equal(
      staged.pairs.map(({ reads, access }) => [reads, access]),
      [
        ['staged', 'read write'],
        ['production', 'read write'],
        ['staged', 'read only'],
      ],
    );
    assert.is(staged.pairs[0]?.session.id, staged.session.id);
  });

  test('hands over what the client sent ahead', async () => {
    const parameters = [
      ['user', 'trusted'],
      ['database', 'postgres'],
      ['service_session', listener.session.id],
    ] as const;
    const { queryMessage, terminateMessage } = await import('../../src/wire/frontend-messages.ts');
    const client = await connectRaw(
      listener.port,
      Buffer.concat([startupMessage(parameters), queryMessage('SELECT 1'), terminateMessage]),
    );
    const { types } = await client.readToEnd();
    assert.match(types, /^RS+KZTDCZ$/);
  });

  test('writes no password into its log', async () => {
    const log = listener.log.join('');
    assert.match(log, /client refused|login/);
    for (const secret of ['wrong', 'not-asked-for']) assert.not.match(log, secret);
  });
});
