/** Writes of triggers while staging, when other transactions, other tables, forged settings or changed triggers come in their way. */
import type { JsonObject } from '../../src/model/json.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const logged = (table: string, log: string, columns = 'item int PRIMARY KEY') => `
CREATE TABLE ${table} (id int PRIMARY KEY);
CREATE TABLE ${log} (${columns});
CREATE FUNCTION ${log}_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO ${log} (item) VALUES (NEW.id); RETURN NULL; END';
CREATE TRIGGER ${log}_row AFTER INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION ${log}_row();
`;
const schema = [
  logged('items', 'log'),
  logged('orders', 'journal'),
  logged('entries', 'moves'),
  // approval draws the keys anew: nothing tells which row of production is the same
  logged('docs', 'versions', 'item int, id serial PRIMARY KEY'),
  'CREATE TABLE notes (id int PRIMARY KEY)',
].join('');

suite('rows that triggers write while staging', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema, { triggerDifferences: 'refuse' });
  });
  test.after(() => proxied.stop());

  const open = async () => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    return { id, client: await proxied.connect(proxied.daemon.clientUrl(id)) };
  };
  const ask = async (path: string, body: JsonObject, status: number) => {
    const answer = await proxied.daemon.call('POST', path, { json: body });
    assert.is(answer.status, status, answer.text);
    return answer.body as Record<string, unknown>;
  };

  test('do not wait for transactions that stage in their table', async () => {
    const { client } = await open();
    const { client: other } = await open();
    await other.query('BEGIN; INSERT INTO log VALUES (7)');
    await client.query('BEGIN; INSERT INTO log VALUES (8)');
    await client.query('INSERT INTO items VALUES (1)');
    assert.equal((await client.query('SELECT item FROM log ORDER BY item')).rows, [
      { item: 1 },
      { item: 8 },
    ]);
    await client.query('COMMIT');
    await other.query('COMMIT');
  });

  test('are retried in a transaction that is older than what fires the trigger', async () => {
    const { client } = await open();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query('SELECT 1');
    assert.is((await rejects(client.query('INSERT INTO entries VALUES (1)'))).code, '40001');
    await client.query('ROLLBACK; BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query('SELECT 1');
    await client.query('INSERT INTO entries VALUES (1)');
    assert.equal((await client.query('TABLE moves')).rows, [{ item: 1 }]);
    await client.query('COMMIT');
  });

  test('cannot be edited one by one where their table cannot', async () => {
    const { id, client } = await open();
    await client.query('INSERT INTO orders VALUES (1)');
    await client.query('INSERT INTO notes VALUES (1)');
    await proxied.database.query('CREATE TABLE later () INHERITS (journal)');
    for (const row of [{ table: 'orders', row_id: 1 }, { table: 'journal' }]) {
      const rows = [row];
      const unstaged = await ask(`/sessions/${id}/unstage`, { rows, with_dependents: true }, 409);
      assert.equal([unstaged['error'], unstaged['table']], ['not_unstageable', 'journal']);
      const split = await ask(`/sessions/${id}/split`, { only: rows, with_ties: true }, 409);
      assert.equal([split['error'], split['table']], ['not_splittable', 'journal']);
    }
    await ask(`/sessions/${id}/unstage`, { rows: [{ table: 'notes', row_id: 1 }] }, 200);
  });

  test('are not recorded for what no trigger wrote', async () => {
    const { client } = await open();
    await client.query('INSERT INTO docs VALUES (5)');
    const [known] = await proxied.database.query<Record<string, string>>(
      `SELECT session, cause, cause_relation, relation, (SELECT 'log'::regclass::oid) AS log FROM stage.effect WHERE trigger = 'versions_row'`,
    );
    const forge = (change: Record<string, string>) => {
      const forged = { ...known, trigger: 'versions_row', ...change } as Record<string, string>;
      return proxied.database.query(`SET stage.cause = '${forged['cause']}'; SET stage.cause_relation = '${forged['cause_relation']}';
        SET stage.trigger = '${forged['trigger']}'; INSERT INTO stage_data.shadow_${forged['relation']}
          (item, _stage_session, _stage_mutation, _stage_op, _stage_head, _stage_origin) VALUES (99, '${forged['session']}', 0, '${forged['op'] ?? 'I'}', true, 'trigger')`);
    };
    for (const change of [
      { trigger: 'none' },
      { cause: '0' },
      { op: 'D' },
      { session: '00000000-0000-0000-0000-000000000000' },
      { relation: known?.['log'] ?? '' },
    ])
      assert.is((await rejects(forge(change))).code, '42501', JSON.stringify(change));
  });

  for (const [how, change, restore] of [
    [
      'disabled',
      'ALTER TABLE docs DISABLE TRIGGER versions_row',
      'ALTER TABLE docs ENABLE TRIGGER versions_row',
    ],
    [
      'replaced',
      `CREATE OR REPLACE FUNCTION versions_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
      `CREATE OR REPLACE FUNCTION versions_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO versions (item) VALUES (NEW.id); RETURN NULL; END'`,
    ],
  ] as const)
    test(`are reported where their trigger is ${how} before approval`, async () => {
      const { id, client } = await open();
      await client.query('INSERT INTO docs VALUES (1)');
      await ask(`/sessions/${id}/propose`, {}, 200);
      await proxied.database.query(change);
      const { differences: found } = await ask(`/sessions/${id}/rehearse`, {}, 200);
      const { unexpected, rows } = found as { unexpected: number; rows: JsonObject[] };
      assert.is(unexpected, 2);
      const [, item] = rows.map(({ table, field, staged, landed }) => [
        table,
        field,
        staged,
        landed,
      ]);
      assert.equal(item, ['versions', 'item', 1, null]);
      const refused = await ask(`/sessions/${id}/approve`, {}, 409);
      assert.is(refused['error'], 'trigger_differences');
      await proxied.database.query(restore);
      await ask(`/sessions/${id}/approve`, {}, 200);
      await proxied.database.query('DELETE FROM docs; DELETE FROM versions');
    });
});
