/** The review shows what approval runs, through the proxy and REST: statements whose net change says less than their steps. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE t (id int PRIMARY KEY, v text);
CREATE TABLE ledger (id int PRIMARY KEY, amount int);
CREATE TABLE payouts (id int, amount int);
CREATE FUNCTION pay() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN INSERT INTO public.payouts VALUES (NEW.id, NEW.amount); RETURN NULL; END $$;
INSERT INTO ledger VALUES (1, 10);
INSERT INTO t VALUES (1, 'v'), (2, 'v');
CREATE TRIGGER pay AFTER INSERT OR UPDATE ON ledger FOR EACH ROW EXECUTE FUNCTION pay();`;

const benign = `INSERT INTO t VALUES (800, 'benign')`;

/** Returns the parts of a diff that approval does not change: all but the state and the triggers that will run. */
const lasting = (diff: object) =>
  JSON.parse(
    JSON.stringify(diff, (key, value) => (/^(status|triggers)$/.test(key) ? null : value)),
  );

suite('reviewed steps', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const staged = async (...statements: (string | { text: string; values: unknown[] })[]) => {
    const { daemon } = proxied;
    const id = await daemon.newSession({});
    const client = await proxied.connect(daemon.clientUrl(id));
    for (const statement of statements) await client.query(statement);
    await client.end();
    return { id, diff: (await daemon.call('GET', `/sessions/${id}/diff`)).body };
  };

  test('that pay out and come to nothing need a digest of their own', async () => {
    const { daemon, database } = proxied;
    const { digest } = (await staged(benign)).diff;
    const { id, diff } = await staged(
      'INSERT INTO ledger VALUES (666, 1000000)',
      'UPDATE ledger SET amount = 999 WHERE id = 1',
      'UPDATE ledger SET amount = 10 WHERE id = 1',
      'DELETE FROM ledger WHERE id = 666',
      benign,
    );
    const { columns, triggers, ...ledger } = diff.tables.ledger;
    assert.equal([columns.length > 0, Array.isArray(triggers)], [true, true]);
    assert.equal(ledger, {
      inserts: 0,
      updates: 0,
      deletes: 0,
      further_changes: 4,
      changes: [],
    });
    assert.is(diff.tables.t.further_changes, 0);
    assert.is(diff.summary.further_changes, 4);
    const outline = (await daemon.call('GET', `/sessions/${id}/diff/outline`)).body.tables.ledger;
    assert.equal([outline.further_changes, outline.chunks], [4, []]);
    const stepsOf = async (query = '') =>
      (await daemon.call('GET', `/sessions/${id}/diff?steps=true${query}`)).body.steps as {
        mutation_id: string;
        statement: string;
      }[];
    const steps = await stepsOf();
    const log = (await daemon.call('GET', `/sessions/${id}/mutations`)).body.mutations;
    const step = (index: number, type: string, table: string, row_id: number) => ({
      table,
      mutation_id: log[index].id,
      statement: log[index].statement,
      type,
      row_id,
    });
    const account = (row: number, amount: number) => ({ id: row, amount });
    assert.equal(steps, [
      { ...step(0, 'INSERT', 'ledger', 666), before: null, after: account(666, 1000000) },
      { ...step(1, 'UPDATE', 'ledger', 1), before: account(1, 10), after: account(1, 999) },
      { ...step(2, 'UPDATE', 'ledger', 1), before: account(1, 999), after: account(1, 10) },
      { ...step(3, 'DELETE', 'ledger', 666), before: account(666, 1000000), after: null },
      { ...step(4, 'INSERT', 't', 800), before: null, after: { id: 800, v: 'benign' } },
    ]);
    assert.is((await stepsOf('&table=ledger&type=UPDATE&limit=0')).length, 2);
    await daemon.call('POST', `/sessions/${id}/propose`);
    const refused = await daemon.call('POST', `/sessions/${id}/approve`, { json: { digest } });
    assert.is(refused.status, 412);
    assert.is(refused.body.error, 'digest_mismatch');
    assert.is(refused.body.digest, diff.digest);
    assert.equal(await database.query('SELECT * FROM payouts'), []);
    const approve = () =>
      daemon.call('POST', `/sessions/${id}/approve`, { json: { digest: diff.digest } });
    assert.is((await approve()).status, 200);
    assert.is((await approve()).status, 200, 'once more');
    assert.is((await database.query('SELECT * FROM payouts')).length, 3);
    const after = (await daemon.call('GET', `/sessions/${id}/diff`)).body;
    assert.is(after.status, 'approved');
    assert.equal(lasting(after), lasting(diff));
    assert.equal(await stepsOf(), steps);
  });

  test('of upserts and TRUNCATE are told apart from what they come to', async () => {
    const upsert = `INSERT INTO t VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET v = excluded.v`;
    const once = (await staged(upsert)).diff;
    const twice = (await staged(upsert, upsert)).diff;
    assert.is.not(once.digest, twice.digest);
    assert.equal(
      [once, twice].map(({ tables }) => tables.t.further_changes),
      [0, 1],
    );
    const emptied = (await staged('TRUNCATE ledger', 'INSERT INTO ledger VALUES (1, 10)')).diff;
    assert.is(emptied.tables.ledger.further_changes, 2);
  });

  test('are the same where only the types of parameters differ', async () => {
    const insert = (cast: string) => ({
      text: `INSERT INTO t VALUES (900, $1::${cast}::text)`,
      values: ['7'],
    });
    const [one, other] = [await staged(insert('int')), await staged(insert('text'))];
    assert.is(one.diff.digest, other.diff.digest);
    const third = await staged(insert('numeric(3, 1)'));
    assert.is.not(one.diff.digest, third.diff.digest);
  });
});
