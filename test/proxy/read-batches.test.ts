/** Batches that only read and arrive complete: none waits for a round trip, and each gets PostgreSQL's responses. */
import type { Relayed } from '../helpers/relay.ts';
import { startRelayed } from '../helpers/relay.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { b, c, connectWire, d, e, inWords, p, q, runScript, s } from '../helpers/wire-script.ts';

suite('batches that only read', (test) => {
  let relayed: Relayed;
  test.before(async () => {
    relayed = await startRelayed(
      `CREATE TABLE item (id int PRIMARY KEY, v text); INSERT INTO item VALUES (1, 'one');
       CREATE TABLE one (id int PRIMARY KEY, v text); INSERT INTO one VALUES (1, 'a');
       CREATE TABLE two (id int PRIMARY KEY, v text); INSERT INTO two VALUES (1, 'b')`,
    );
  });
  test.after(() => relayed.stop());

  const ready = 'Z'.charCodeAt(0);
  const isRow = (words: string) => words.startsWith('D');
  const batch = (name: string, value: string) => Buffer.concat([b([value], name), e(), s]);
  const preparing = [
    p('SELECT v, 1 / $1::int FROM item', 'item'),
    p('SELECT $1::int FROM pg_catalog.pg_class', 'other'),
    p('SELECT $1::int', 'value'),
    p('UPDATE item SET id = $1::int', 'change'),
    s,
  ];

  test('sends batches that only read before those before them are answered', async () => {
    const { relay, reader, database } = relayed;
    const client = await relayed.connect();
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
    // nothing was sent of the message that is no such batch
    assert.not(sent.some((message) => message.includes('SELECT 4')));
    locking.close();
    const rows = (await client.readTo(ready, 4)).map(inWords).filter(isRow);
    assert.is(rows.length, 4);
    for (const [index, value] of ['1', '2', '3', '4'].entries())
      assert.ok(rows[index]?.endsWith(value), rows[index]);
    client.close();
  });

  test(
    'takes time in proportion to the messages of a batch',
    async () => {
      const client = await relayed.connect();
      // 6 s; more than a minute if a response takes time for each that waits behind it
      const count = 100_000;
      const statement = Buffer.concat([p('SELECT $1::text'), b(['a']), d(), e()]);
      client.send(...Array.from({ length: count }, () => statement), s);
      const messages = await client.readTo(ready);
      const rows = messages.filter(({ type }) => type === 'D'.charCodeAt(0));
      assert.equal([rows.length, messages.length], [count, 5 * count + 1]);
      client.close();
    },
    { timeout: 60_000 },
  );

  test('keeps no answer back while a batch behind it takes its time', async () => {
    const client = await relayed.connect();
    client.send(...preparing);
    await client.readTo(ready);
    const locking = await connectWire(relayed.database.url);
    locking.send(q('BEGIN; LOCK TABLE item IN ACCESS EXCLUSIVE MODE'));
    await locking.readTo(ready);
    client.send(batch('value', '1'), batch('value', '2'), batch('item', '1'), batch('value', '3'));
    assert.equal((await client.readTo(ready, 2)).map(inWords).filter(isRow).length, 2);
    locking.close();
    assert.equal((await client.readTo(ready, 2)).map(inWords).filter(isRow).length, 2);
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
    ];
    const many = Array.from({ length: 600 }, (_, index) => batch('item', String(index % 3)));
    const { daemon, database } = relayed;
    const url = daemon.clientUrl(await daemon.newSession());
    for (const size of [1, 7, 100]) {
      const answers = await runScript(url, script, () => size);
      assert.equal(answers, await runScript(database.url, script, () => size), `${size}`);
    }
    for (const size of [5000, Number.POSITIVE_INFINITY]) {
      const answers = await runScript(url, [...script, ...many], () => size);
      assert.equal(answers, await runScript(database.url, [...script, ...many]), `${size}`);
    }
  });

  const newStaged = () => relayed.daemon.newSession({ reads: 'staged' });
  const asked = async (client: WireClient, ...messages: readonly Buffer[]): Promise<string[]> => {
    client.send(...messages);
    return (await client.readTo(ready)).map(inWords);
  };
  const reported = (answers: readonly string[]) =>
    answers.filter((each) => !'123'.includes(each[0] ?? ''));
  const reading = [b([], 'kept'), d(), e(), s];
  const forms = {
    prepared: reading,
    unnamed: [p('SELECT v FROM one'), b(), d(), e(), s],
    simple: [q('SELECT v FROM one')],
  } as const;

  for (const [form, messages] of Object.entries(forms))
    for (const [where, begin, state] of [
      ['outside of a block', [], 'Z I'],
      ['in a block', [q('BEGIN')], 'Z T'],
      ['in a block that is READ ONLY', [q('BEGIN READ ONLY')], 'Z T'],
    ] as const) {
      test(`asks along with a read whether names are still good, ${form}, ${where}`, async () => {
        const session = await newStaged();
        const [client, other] = [await relayed.connect(session), await relayed.connect(session)];
        const rows = async () =>
          reported(await asked(client, ...messages)).map((each) => each.replaceAll(/[^ -~]/g, ''));
        for (const each of begin) await asked(client, each);
        await asked(client, p('SELECT v FROM one', 'kept'), s);
        await rows();
        const before = await rows();
        assert.equal(await rows(), before);
        await asked(other, q(`UPDATE one SET v = 'staged' WHERE id = 1`));
        const after = await rows();
        assert.is(after.length, before.length);
        assert.ok(before[1]?.endsWith('.a') && after[1]?.endsWith('.staged'), `${before} ${after}`);
        assert.is(after.at(-1), state);
        assert.equal(await rows(), after);
        client.close();
        other.close();
      });
    }

  test('sends a staged read and the question about its names without a wait', async () => {
    const { relay, reader, database } = relayed;
    for (const [form, messages] of Object.entries(forms)) {
      const client = await relayed.connect(await newStaged());
      await asked(client, p('SELECT v FROM one', 'kept'), s);
      await asked(client, ...messages);
      // The query is not answered before the lock is released.
      const locking = await connectWire(database.url);
      locking.send(q('BEGIN; LOCK TABLE stage.overlay IN ACCESS EXCLUSIVE MODE'));
      await locking.readTo(ready);
      relay.take(reader.name);
      client.send(...messages);
      const sent: Buffer[] = [];
      const isSent = () => {
        sent.push(...relay.take(reader.name));
        const ends = (message: Buffer) => message.equals(s) || message[0] === q('')[0];
        return sent.filter(ends).length === (form === 'simple' ? 2 : 1);
      };
      await until(isSent);
      assert.ok(sent.some((message) => message.includes('_stage_validation')));
      locking.close();
      assert.is((await client.readTo(ready)).map(inWords).at(-1), 'Z I');
      client.close();
    }
  });

  for (const text of ['SELECT 1 / 0', 'SELECT length($$$$) / 0'])
    test(`tells what a read without tables fails by: ${text}`, async () => {
      // The text is known from the second connection on.
      for (let time = 0; time < 2; time += 1) {
        const client = await relayed.connect(await newStaged());
        await asked(client, q('BEGIN READ ONLY'));
        const answers = reported(await asked(client, p(text), b(), e(), s));
        assert.ok(answers[0]?.includes('C=22012'), `${answers}`);
        assert.equal(answers.slice(1), ['Z E']);
        client.close();
      }
    });

  test('follows tables that change their names, or tells that they have', async () => {
    const session = await newStaged();
    const [client, other] = [await relayed.connect(session), await relayed.connect(session)];
    await asked(other, q(`UPDATE two SET v = 'staged two' WHERE id = 1`));
    const swap =
      'ALTER TABLE one RENAME TO other; ALTER TABLE two RENAME TO one; ALTER TABLE other RENAME TO two';
    for (const begin of ['SELECT', 'BEGIN']) {
      await asked(client, p('SELECT v FROM two', 'kept'), s);
      for (let time = 0; time < 2; time += 1) await asked(client, ...reading);
      await relayed.database.query(swap);
      await asked(other, q(`UPDATE one SET v = v || '!' WHERE id = 1`));
      await asked(client, q(begin));
      const answers = reported(await asked(client, ...reading));
      assert.ok(!answers.some((each) => each.includes('staged two')), `${begin}: ${answers}`);
      assert.ok(
        answers.some((each) => each[0] === 'D' || each.includes('C=40001')),
        `${answers}`,
      );
      await asked(client, q('ROLLBACK'));
      await relayed.database.query(swap);
      await asked(client, c('statement', 'kept'), s);
    }
    client.close();
    other.close();
  });
});
