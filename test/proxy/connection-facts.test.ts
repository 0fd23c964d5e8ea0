/** The facts that a client can learn of its connection: that its writes are staged, in which session, and the rows of its reads. */
import type pg from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = 'CREATE TABLE t (id int PRIMARY KEY, v text)';

suite('proxy: what a connection tells', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema, { stagedNotice: 'true' });
  });
  test.after(() => proxied.stop());

  /** Connects with further options. Returns the notices. */
  async function connect(options = '') {
    const id = await proxied.daemon.newSession();
    const url = new URL(proxied.daemon.clientUrl(id));
    url.searchParams.set('options', `-c service_session=${id} ${options}`);
    const client = await proxied.connect(url.href.replaceAll('+', '%20'));
    const notices: { severity?: string; code?: string; message: string; hint?: string }[] = [];
    client.on('notice', (notice) => notices.push(notice as never));
    return { id, client, notices };
  }

  test('refuses a role or database in which backslashes escape, unless the client asks for standard strings', async () => {
    const { database } = proxied;
    const role = await createRole(database, 'GRANT ALL ON t TO $role');
    const settings = [
      [`ROLE ${role.name}`, 'off', true],
      [`DATABASE ${database.name}`, '0', true],
      [`ROLE ${role.name} IN DATABASE ${database.name}`, 'off', true],
      [`ROLE ${role.name}`, 'on', false],
    ] as const;
    const url = proxied.daemon.clientUrl(await proxied.daemon.newSession(), role.name, role.name);
    const options = new URL(url);
    const asked = `${options.searchParams.get('options')} -c standard_conforming_strings=on`;
    options.searchParams.set('options', asked);
    for (const [what, value, isRefused] of settings) {
      await database.query(`ALTER ${what} SET standard_conforming_strings = '${value}'`);
      const answer = await proxied.connect(url).then(
        () => null,
        (error: pg.DatabaseError) => error,
      );
      await proxied.connect(options.href.replaceAll('+', '%20'));
      await database.query(`ALTER ${what} RESET standard_conforming_strings`);
      assert.is(answer?.code, isRefused ? '55P02' : undefined, what);
      if (isRefused) assert.match(answer?.hint ?? '', 'options=');
    }
    await proxied.connect(url).then((client) => client.end());
    await role.drop();
  });

  test('tells once, at the first row that is staged, that production is unchanged', async () => {
    const { id, client, notices } = await connect();
    await client.query('SELECT 1');
    await client.query('UPDATE t SET v = v WHERE id = -1');
    await client
      .query('INSERT INTO t VALUES (1, $1) ON CONFLICT DO NOTHING', [null])
      .catch(() => undefined);
    await client.query('EXPLAIN INSERT INTO t VALUES (9)');
    await client.query('INSERT INTO nowhere VALUES (1)').catch(() => undefined);
    const before = notices.length;
    await client.query("INSERT INTO t VALUES (2, 'a')");
    await client.query('DELETE FROM t');
    assert.equal([before, notices.length], [1, 1]);
    const [notice] = notices;
    assert.equal([notice?.severity, notice?.code], ['NOTICE', '00000']);
    assert.is(
      notice?.message,
      `staged in session ${id}; production is unchanged until the session is approved`,
    );
    assert.match(notice?.hint ?? '', /service_reads=staged/);
  });

  for (const [how, write] of [
    ['a Query', (client: pg.Client) => client.query("INSERT INTO t VALUES (5, 'x')")],
    ['parameters', (client: pg.Client) => client.query('INSERT INTO t VALUES ($1, $2)', [5, 'x'])],
    [
      'EXECUTE',
      (client: pg.Client) => client.query('PREPARE p AS INSERT INTO t VALUES (5); EXECUTE p'),
    ],
    [
      'a transaction',
      (client: pg.Client) => client.query("BEGIN; INSERT INTO t VALUES (5, 'x'); COMMIT"),
    ],
    [
      'a query with RETURNING',
      (client: pg.Client) =>
        client.query('WITH w AS (INSERT INTO t VALUES (5) RETURNING id) SELECT * FROM w'),
    ],
  ] as const) {
    test(`tells it of ${how}`, async () => {
      const { client, notices } = await connect('-c service_reads=staged');
      await write(client);
      assert.is(notices.length, 1);
      assert.match(notices[0]?.hint ?? '', /reads see/i);
    });
  }

  test('tells nothing to who does not want notices', async () => {
    for (const options of ['-c service_notice=off', '-c client_min_messages=warning']) {
      const { client, notices } = await connect(options);
      await client.query("INSERT INTO t VALUES (1, 'a')");
      assert.equal(notices, [], options);
    }
    const { client, notices } = await connect();
    await client.query('SET client_min_messages = error');
    await client.query("INSERT INTO t VALUES (1, 'a')");
    await client.query('SET client_min_messages = notice');
    await client.query("INSERT INTO t VALUES (2, 'a')");
    assert.is(notices.length, 1);
  });

  test('shows its session and what its reads see, in both protocols', async () => {
    for (const reads of ['production', 'staged']) {
      const { id, client } = await connect(`-c service_reads=${reads}`);
      for (const values of [undefined, []]) {
        const ask = async (text: string) =>
          (await client.query({ text, ...(values ? { name: text, values } : {}) })).rows;
        assert.equal(await ask('SHOW stage.session'), [{ 'stage.session': id }]);
        assert.equal(await ask('show "stage"."session" ;'), [{ 'stage.session': id }]);
        assert.equal(await ask('SHOW stage.reads'), [{ 'stage.reads': reads }]);
      }
      const [first, second] = (await client.query(
        'SELECT 1 AS x; SHOW stage.session',
      )) as never as pg.QueryResult[];
      assert.equal([first?.rows, second?.rows], [[{ x: 1 }], [{ 'stage.session': id }]]);
    }
  });

  test('says where the mode of reads is chosen to who tries SET, and SHOW of the options', async () => {
    const { client } = await connect();
    for (const [text, hint] of [
      ["SET service_reads = 'staged'", /-c service_reads=staged/],
      ['SET LOCAL service_session = sess_1', /-c service_session/],
      ['SHOW service_reads', /SHOW stage\.reads/],
      ['SHOW service_session', /SHOW stage\.session/],
    ] as const) {
      const error = await client.query(text).then(
        () => null,
        (failure: pg.DatabaseError) => failure,
      );
      assert.equal(
        [error?.code, hint.test(error?.hint ?? '')],
        ['42704', true],
        `${text}: ${error?.hint}`,
      );
    }
  });
});

suite('proxy: a daemon that tells nothing', (test) => {
  test('of what is staged', async () => {
    const proxied = await startProxied(schema, { stagedNotice: 'false' });
    try {
      for (const [option, count] of [
        ['', 0],
        ['-c service_notice=on', 1],
      ] as const) {
        const id = await proxied.daemon.newSession();
        const url = new URL(proxied.daemon.clientUrl(id));
        url.searchParams.set('options', `-c service_session=${id} ${option}`);
        const client = await proxied.connect(url.href.replaceAll('+', '%20'));
        let notices = 0;
        client.on('notice', () => {
          notices += 1;
        });
        await client.query("INSERT INTO t VALUES (1, 'a')");
        assert.is(notices, count);
      }
    } finally {
      await proxied.stop();
    }
  });
});
