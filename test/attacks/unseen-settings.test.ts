/** set_config() in definitions, where no statement shows which setting it sets. */
import type pg from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const set = (name = 'stage.reverts') => `set_config('${name}', 'on', false)`;

/** The tables, by what calls set_config(). */
const tables = `
CREATE TABLE defaulted (id int PRIMARY KEY, v text DEFAULT ${set()});
CREATE TABLE defaulted_access (id int, v text DEFAULT ${set('default_transaction_read_only')});
CREATE TABLE checked (id int CHECK (${set()} <> ''));
CREATE DOMAIN setting AS int CHECK (${set()} <> '');
CREATE TABLE domained (id setting);
CREATE TABLE policed (id int);
ALTER TABLE policed ENABLE ROW LEVEL SECURITY;
CREATE POLICY made ON policed FOR INSERT WITH CHECK (${set()} <> '');
CREATE FUNCTION alias(text, text, bool) RETURNS text LANGUAGE internal AS 'set_config_by_name';
CREATE TABLE aliased (id int, v text DEFAULT alias('stage.reverts', 'on', false));
CREATE TABLE plain (id int);
CREATE TABLE cause (id int PRIMARY KEY);
CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO defaulted (id) VALUES (NEW.id); RETURN NULL; END';
CREATE TRIGGER log AFTER INSERT ON cause FOR EACH ROW EXECUTE FUNCTION log();
CREATE VIEW viewed AS SELECT ${set()} AS v;
CREATE AGGREGATE aggregated (text, bool) (sfunc = set_config, stype = text, initcond = 'stage.reverts');
`;

const reads = [
  'SELECT * FROM viewed',
  `SELECT aggregated('on', false)`,
  `SELECT alias('stage.reverts', 'on', false)`,
];
const writes = ['defaulted', 'defaulted_access', 'checked', 'domained', 'policed', 'aliased'];

suite('settings that no statement names', (test) => {
  let proxied: Proxied;
  let client: pg.Client;
  test.before(async () => {
    proxied = await startProxied(tables);
  });
  // a setting that was set lasts as long as its connection
  const connect = async () => {
    client = await proxied.connect(await proxied.session('staged'));
  };
  test.after(() => proxied.stop());

  const refused = async (text: string) => {
    const { code, message } = await rejects(client.query(text));
    assert.is(code, '0A000', `${text}: ${message}`);
    const { rows } = await client.query(`SELECT current_setting('stage.reverts', true) AS found`);
    assert.not(rows[0]?.found, text);
  };

  test('are not set by the definition of a table', async () => {
    await connect();
    for (const table of writes) await refused(`INSERT INTO ${table} (id) VALUES (1)`);
  });

  test('are not set by views and aggregates', async () => {
    await connect();
    for (const text of reads) await refused(text);
    for (const text of reads.slice(1))
      await refused(`INSERT INTO plain SELECT 1 WHERE (${text}) <> ''`);
  });

  test('are not set by the table to which a trigger writes', async () => {
    await connect();
    await client.query('INSERT INTO cause VALUES (1)');
    assert.is((await client.query('SELECT FROM defaulted')).rowCount, 0);
  });
});
