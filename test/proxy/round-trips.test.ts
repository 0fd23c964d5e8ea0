/** What is sent upstream for a read: the client's own messages and nothing else, but for a question about names that need one. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { b, connectWire, d, e, inWords, p, q, run, s, tell } from '../helpers/wire-script.ts';

interface Relay {
  readonly url: string;
  /** The messages that a role's connection has sent since they were last asked for. */
  take(role: string): Buffer[];
  stop(): Promise<void>;
}

/** Passes bytes on to the server, and remembers those that go there. */
async function startRelay(upstream: string): Promise<Relay> {
  const { hostname, port } = new URL(upstream);
  const sockets: Socket[] = [];
  const sent: { role: string; bytes: Buffer }[] = [];
  const server = createServer((socket) => {
    const behind = connect(Number(port), hostname);
    sockets.push(socket, behind);
    const own = { role: '', bytes: Buffer.alloc(0) };
    sent.push(own);
    socket.on('data', (chunk: Buffer) => {
      own.role ||= /user\0([^\0]*)/.exec(chunk.toString('latin1'))?.[1] ?? '';
      own.bytes = Buffer.concat([own.bytes, chunk]);
    });
    for (const [from, to] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(upstream);
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    take: (role) => {
      const connection = sent.findLast((each) => each.role === role);
      const bytes = connection?.bytes ?? Buffer.alloc(0);
      if (connection) connection.bytes = Buffer.alloc(0);
      const messages: Buffer[] = [];
      for (let at = 0; at < bytes.length; ) {
        const end = at + 1 + bytes.readUInt32BE(at + 1);
        messages.push(bytes.subarray(at, end));
        at = end;
      }
      return messages;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads of applications and of psql, for which there is nothing to ask. */
const plain = [
  'SELECT 1',
  'SELECT id, "v" FROM item WHERE id = 1 ORDER BY lower(v) LIMIT 10',
  'SELECT i.id, j.v AS "j.v", count(*), max(i.v), now() FROM public.item AS i JOIN item j ON i.id = j.id GROUP BY i.id, j.v',
  'SELECT "i"."id", (SELECT coalesce(sum(x.n), 0) FROM (VALUES (1)) x(n)) FROM "item" "i" WHERE "i"."id" IN (1, 2)',
  `SELECT json_agg(row_to_json(t)) FROM (SELECT item.id, item.v FROM item) t`,
  'SELECT g.n, date_trunc($$day$$, now() + g.n * interval $$1 day$$) FROM generate_series(1, 3) AS g(n)',
  `SELECT c.relname, pg_catalog.pg_get_userbyid(c.relowner), pg_catalog.format_type(a.atttypid, a.atttypmod)
   FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
   WHERE pg_catalog.pg_table_is_visible(c.oid) AND c.relname OPERATOR(pg_catalog.~) '^item$' AND a.attnum > 0`,
  `SELECT current_setting('search_path'), version(), current_schema(), pg_backend_pid(), gen_random_uuid()`,
  'WITH x AS (SELECT i.id FROM item i) SELECT x.id, row_number() OVER (ORDER BY x.id) FROM x',
];

/** Reads that call what only the catalog knows. */
const asking = [
  'SELECT mine(1)',
  'SELECT public.mine(1)',
  'SELECT (i).tagged, (i).v FROM item i',
  'SELECT e.value, e.key FROM json_each($${}$$) e',
];

suite('round trips of reads', (test) => {
  let database: TestDatabase;
  let relay: Relay;
  let daemon: TestDaemon;
  let reader: TestRole;
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
    await database.query(
      `CREATE TABLE item (id int PRIMARY KEY, v text); INSERT INTO item VALUES (1, 'one');
       CREATE FUNCTION mine(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
       CREATE FUNCTION tagged(item) RETURNS int LANGUAGE sql AS 'SELECT 1'`,
    );
    reader = await createRole(database, 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO $role');
    relay = await startRelay(database.url);

    daemon = await startTestDaemon({ database, flags: { upstream: relay.url } });
  });
  test.after(async () => {
    await daemon.stop();
    await relay.stop();
    await reader.drop();
    await database.drop();
  });

  const protocols: Readonly<Record<string, (text: string) => Buffer[]>> = {
    simple: (text) => [q(text)],
    extended: (text) => [run(text), s],
  };

  /** What is sent upstream for messages, without the last one's answer being waited for by more than its ReadyForQuery. */
  const sentFor = async (client: WireClient, messages: readonly Buffer[]): Promise<string> => {
    relay.take(reader.name);
    client.send(...messages);
    const answers = await client.readTo('Z'.charCodeAt(0));
    assert.not(answers.some(({ type }) => type === 'E'.charCodeAt(0)));
    return Buffer.concat(relay.take(reader.name)).toString('latin1');
  };

  for (const [protocol, messages] of Object.entries(protocols)) {
    const connect = async () =>
      connectWire(daemon.clientUrl(await daemon.newSession(), reader.name, reader.name));
    const asSent = (text: string) => Buffer.concat(messages(text)).toString('latin1');

    test(`takes nothing but the client's messages, ${protocol}`, async () => {
      const client = await connect();
      for (const text of plain)
        assert.is(await sentFor(client, messages(text)), asSent(text), text);
      client.close();
    });

    test(`asks once what the catalog has to tell, ${protocol}`, async () => {
      const client = await connect();
      for (const text of asking) {
        const first = await sentFor(client, messages(text));
        assert.ok(first.includes('stage.find_code'), text);
        assert.ok(first.length > asSent(text).length);
        const other = text.replace('(1)', '(22)');
        for (const known of [text, other, text])
          assert.is(await sentFor(client, messages(known)), asSent(known), known);
      }
      client.close();
    });
  }

  const ready = 'Z'.charCodeAt(0);
  const batch = (name: string, value: string) => Buffer.concat([b([value], name), e(), s]);
  const preparing = [
    p('SELECT v, 1 / $1::int FROM item', 'item'),
    p('SELECT $1::int FROM pg_catalog.pg_class', 'other'),
    p('SELECT $1::int', 'value'),
    p('UPDATE item SET id = $1::int', 'change'),
    s,
  ];

  test('sends batches that only read before those before them are answered', async () => {
    const client = await connectWire(
      daemon.clientUrl(await daemon.newSession(), reader.name, reader.name),
    );
    client.send(...preparing);
    await client.readTo(ready);
    const locking = await connectWire(database.url);
    locking.send(q('BEGIN; LOCK TABLE item IN ACCESS EXCLUSIVE MODE'));
    await locking.readTo(ready);
    relay.take(reader.name);
    client.send(batch('item', '1'), batch('value', '2'), batch('value', '3'), q('SELECT 4'));
    const sent: Buffer[] = [];
    const syncs = () => {
      sent.push(...relay.take(reader.name));
      return sent.filter((message) => message.equals(s)).length === 3;
    };
    await until(syncs);
    // of what is no such batch nothing has been sent
    assert.not(sent.some((message) => message.includes('SELECT 4')));
    locking.close();
    const rows = (await client.readTo(ready, 4)).map(inWords).filter((each) => each[0] === 'D');
    assert.is(rows.length, 4);
    for (const [index, value] of ['1', '2', '3', '4'].entries())
      assert.ok(rows[index]?.endsWith(value), rows[index]);
    client.close();
  });

  test('answers batches sent at once as the server does', async () => {
    const rolledBack = [q('BEGIN'), batch('change', '7'), batch('value', '1'), q('ROLLBACK')];
    const script = [
      ...preparing,
      ...['1', '0', '2', 'x', '3'].map((value) => batch('item', value)),
      ...[b(['1'], 'value'), d(), e(), s, b(['1', '2'], 'value'), e(), s, b([], 'none'), e(), s],
      ...[b(['1'], 'other'), e(2), s, b(['1'], 'value'), d('statement', 'value'), e(), s],
      ...[batch('value', '8'), q('SELECT 9'), batch('value', '10'), ...rolledBack],
      ...[batch('value', '11'), b(['1'], 'value', 'named'), e(0, 'named'), s, batch('value', '12')],
      ...[batch('value', '0'), p('SELECT 1 / 0'), b(), e(), batch('value', '1'), s],
      ...Array.from({ length: 600 }, (_, index) => batch('item', String(index % 3))),
    ];
    const url = daemon.clientUrl(await daemon.newSession());
    for (const size of [1, 7, 100, 5000, Number.POSITIVE_INFINITY])
      assert.equal(
        await tell(url, script, () => size),
        await tell(database.url, script),
        `${size}`,
      );
  });
});
