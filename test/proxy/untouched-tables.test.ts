/** Reads of tables in which the session has staged nothing, before and after it stages something in them: answers are as directly. */
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import type { Relayed } from '../helpers/relay.ts';
import { startRelayed } from '../helpers/relay.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, e, exchange, p, q, s } from '../helpers/wire-script.ts';

const { schema, steps } = await readStories('proxy/untouched-tables.sql');

suite('reads of tables without staged rows', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);

  for (const block of [[], [q('BEGIN')]])
    test(`a read that is parsed before a write of the same batch, and bound behind it: ${block}`, async () => {
      const wire = await proxied.wire(await proxied.session('staged'));
      await exchange(wire, p('INSERT INTO parent VALUES (1234, 1)', 'write'), s);
      if (block.length > 0) await exchange(wire, ...block);
      // only a trigger writes to this table, so that no earlier message tells of it
      const read = p('SELECT n FROM logged WHERE id = 1234', 'read');
      const heard = await exchange(wire, read, b([], 'write'), e(), b([], 'read'), e(), s);
      assert.ok(heard.some((each) => /^D .*1$/s.test(each)));
      wire.close();
    });
});

suite('what is sent for reads of tables without staged rows', (test) => {
  let relayed: Relayed;
  test.before(async () => {
    relayed = await startRelayed(
      `CREATE TABLE item (id int PRIMARY KEY, v text); INSERT INTO item VALUES (1, 'one');
       CREATE TABLE other (id int PRIMARY KEY, v text); INSERT INTO other VALUES (1, 'one')`,
    );
  });
  test.after(() => relayed.stop());

  test("is the client's text, with one check before it", async () => {
    const { relay, reader, daemon } = relayed;
    const session = () => daemon.newSession({ reads: 'staged' });
    const stage = async (own: string, text: string) => {
      const client = await relayed.connect(own);
      await exchange(client, q(text));
      client.close();
    };
    const [own, others] = [await session(), await session()];
    for (const table of ['item', 'other']) await stage(others, `UPDATE ${table} SET v = 'theirs'`);
    await stage(own, `UPDATE item SET v = 'staged'`);
    const client = await relayed.connect(own);
    const read = [b(['1'], 'r'), e(), s];
    await exchange(client, p('SELECT v FROM other WHERE id = $1::int', 'r'), s);
    await exchange(client, ...read);
    await exchange(client, ...read);
    relay.take(reader.name);
    const heard = await exchange(client, ...read);
    const sent = relay.take(reader.name);
    assert.ok(heard.some((each) => each.endsWith('one')));
    assert.ok(
      Buffer.concat(sent).toString('latin1').endsWith(Buffer.concat(read).toString('latin1')),
    );
    // Bind, Execute and Close of the check
    assert.is(sent.length, read.length + 3);
    client.close();
  });

  test('is sent once where a connection does not know its search path', async () => {
    const { relay, reader, daemon } = relayed;
    const client = await relayed.connect(await daemon.newSession({ reads: 'staged' }));
    relay.take(reader.name);
    const texts = ['SELECT pg_sleep(0.001)', 'SET search_path = pg_temp', 'SELECT pg_sleep(0.002)'];
    for (const text of texts) await exchange(client, q(text));
    const sent = Buffer.concat(relay.take(reader.name)).toString('latin1');
    for (const text of texts) assert.is(sent.split(text).length, 2, text);
    client.close();
  });
});
