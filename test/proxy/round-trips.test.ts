/** The messages that a read sends upstream: only the client's own, and a query about names where one is needed. */
import type { Relayed } from '../helpers/relay.ts';
import { startRelayed } from '../helpers/relay.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { q, run, s } from '../helpers/wire-script.ts';

/** Reads of applications and of psql that need no query. */
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

/** Reads that call functions that only the catalog knows. */
const asking = ['SELECT e.value, e.key FROM json_each($${}$$) e', 'SELECT (i).v FROM item i'];

/** Reads that run code of users, so the proxy checks its effects before the end. */
const running = ['SELECT mine(1)', 'SELECT public.mine(1)', 'SELECT (i).tagged, (i).v FROM item i'];

suite('round trips of reads', (test) => {
  let relayed: Relayed;
  test.before(async () => {
    relayed = await startRelayed(
      `CREATE TABLE item (id int PRIMARY KEY, v text); INSERT INTO item VALUES (1, 'one');
       CREATE FUNCTION mine(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
       CREATE FUNCTION tagged(item) RETURNS int LANGUAGE sql AS 'SELECT 1'`,
    );
  });
  test.after(() => relayed.stop());

  const protocols: Readonly<Record<string, (text: string) => Buffer[]>> = {
    simple: (text) => [q(text)],
    extended: (text) => [run(text), s],
  };

  /** Returns what is sent upstream for messages, up to the ReadyForQuery of the last one. */
  const sentFor = async (client: WireClient, messages: readonly Buffer[]): Promise<string> => {
    const { relay, reader } = relayed;
    relay.take(reader.name);
    client.send(...messages);
    const answers = await client.readTo('Z'.charCodeAt(0));
    assert.not(answers.some(({ type }) => type === 'E'.charCodeAt(0)));
    return Buffer.concat(relay.take(reader.name)).toString('latin1');
  };

  for (const [protocol, messages] of Object.entries(protocols)) {
    const asSent = (text: string) => Buffer.concat(messages(text)).toString('latin1');

    test(`takes nothing but the client's messages, ${protocol}`, async () => {
      const client = await relayed.connect();
      for (const text of plain)
        assert.is(await sentFor(client, messages(text)), asSent(text), text);
      client.close();
    });

    test(`asks once what the catalog has to tell, ${protocol}`, async () => {
      const client = await relayed.connect();
      for (const text of [...asking, ...running]) {
        const first = await sentFor(client, messages(text));
        // one connection's query about the server's own functions serves all
        const asks = running.includes(text) || protocol === 'simple';
        assert.ok(first.includes('stage.find_code') || !asks, text);
        const other = text.replace('(1)', '(22)');
        for (const known of [text, other, text]) {
          const sent = await sentFor(client, messages(known));
          if (asking.includes(text)) assert.is(sent, asSent(known), known);
          assert.not.match(sent, /stage.find_code/, known);
          assert.is(sent.includes('stage.refuse_written_outside'), running.includes(text), known);
        }
      }
      client.close();
    });
  }
});
