/** Columns of composite keys come in the order of the key, and columns of whole rows in that of the table. jsonb would sort both by length. */
import { assert, suite } from '../helpers/suite.ts';
import { serve } from './served.ts';

const schema = `
CREATE TABLE line (note text, price numeric, order_id int, region text, no int, PRIMARY KEY (order_id, region, no));
INSERT INTO line SELECT 'first', 10, o, 'us', n FROM generate_series(41, 44) o, generate_series(1, 2) n;
CREATE TABLE history (account_id int, was numeric, at int, PRIMARY KEY (account_id, at));
CREATE FUNCTION log_price() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN INSERT INTO history VALUES (NEW.order_id, OLD.price, NEW.no) ON CONFLICT DO NOTHING; RETURN NULL; END $$;
CREATE TRIGGER log_price AFTER UPDATE ON line FOR EACH ROW EXECUTE FUNCTION log_price();
CREATE FUNCTION round_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN NEW.price := NEW.price + (SELECT count(*) FROM history); RETURN NEW; END $$;
CREATE TRIGGER round_price BEFORE UPDATE ON line FOR EACH ROW EXECUTE FUNCTION round_price()`;

const key = (order: number, line = 1) => `order_id=${order},region=us,no=${line}`;
const json = (order: number, line = 1) => `{"order_id": ${order}, "region": "us", "no": ${line}}`;
const update = (order: number) => `UPDATE line SET price = 11 WHERE order_id = ${order} AND no = 1`;

suite('order of composite keys', (test) => {
  const served = serve(test);
  test.before(async () => {
    await served.rest.database.query(schema);
  });
  const run = (...args: string[]) => served.shell.run(args);
  const get = async (path: string) => (await served.rest.call('GET', path)).text;
  const staged = async (...statements: string[]) => {
    const id = await served.rest.newSession();
    for (const statement of statements) await served.rest.write(id, statement);
    return id;
  };

  test('is that of the key in every form of a diff', async () => {
    const id = await staged(update(41), 'DELETE FROM line WHERE order_id = 42 AND no = 2');
    for (const form of ['text', 'markdown', 'html', 'csv'])
      assert.match(
        (await run('diff', id, '-o', form)).stdout,
        /order\S*id\S*41\S*region\S*us\S*no/,
        form,
      );
    for (const args of [
      ['--json'],
      ['-o', 'jsonl'],
      ['--why', '-o', 'jsonl'],
      ['--steps', '-o', 'jsonl'],
    ])
      assert.match((await run('diff', id, ...args)).stdout, `"row_id":${json(41)}`, args.join(' '));
    for (const page of ['', '&search=first', '&sort=price', '&why=true'])
      assert.match(await get(`/sessions/${id}/diff/changes?table=line${page}`), json(42, 2), page);
    assert.match(await get(`/sessions/${id}/diff/steps`), json(42, 2));
  });

  test('is the same after approval, in comments and when it is taken back', async () => {
    const id = await staged(update(43));
    const rowId = { no: 1, region: 'us', order_id: 43 };
    const remark = { body: 'why?', table: 'line', row_id: rowId };
    const { text } = await served.rest.call('POST', `/sessions/${id}/comments`, { json: remark });
    assert.match(text, `"row_id":${json(43)}`);
    assert.match(await get(`/sessions/${id}/comments`), `"row_id":${json(43)}`);
    assert.match(await get(`/sessions/${id}/events`), `"row_id": ${json(43)}`);
    await run('propose', id);
    assert.is((await run('approve', id, '--yes')).code, 0);
    assert.match((await run('diff', id)).stdout, key(43));
    assert.match((await run('diff', id, '--steps')).stdout, key(43));
    await served.rest.database.query('UPDATE line SET note = $1 WHERE order_id = 43', ['later']);
    assert.match((await run('revert', id)).stderr, key(43));
  });

  test('is the same in conflicts, and whole rows have the order of the table', async () => {
    const id = await staged(update(44), `INSERT INTO line VALUES ('mine', 1, 45, 'us', 1)`);
    await served.rest.database.query(
      `UPDATE line SET price = 12 WHERE order_id = 44; INSERT INTO line VALUES ('theirs', 2, 45, 'us', 1)`,
    );
    const { stdout } = await run('check', id);
    assert.match(stdout, `line\t${key(44)}\tprice`);
    assert.match(stdout, `line\t${key(45)}\t`);
    const body = await get(`/sessions/${id}/conflicts`);
    assert.match(
      body,
      `"production_current":{"note": "theirs", "price": 2, "order_id": 45, "region": "us", "no": 1}`,
    );
    const settled = await run('resolve', '-s', id, 'line', json(44), '--theirs');
    assert.is(settled.code, 0, settled.stderr);
    assert.match((await run('unstage', 'line', json(45), '-s', id, '--json')).stdout, json(45));
  });

  test('is the same in a rehearsal, where whole rows have the order of the table', async () => {
    const id = await staged(`UPDATE line SET price = price + 1 WHERE order_id = 42 AND no = 1`);
    await served.rest.database.query('INSERT INTO history VALUES (7, 7, 7)');
    const { stdout } = await run('check', id, '--rehearse');
    assert.match(stdout, '  + history account_id=42,at=1  account_id 42  was 10  at 1\n');
    assert.match(stdout, `  ! line ${key(42)}  price`);
    const { differs, differences } = JSON.parse(
      (await run('check', id, '--rehearse', '--json')).stdout,
    );
    assert.equal(Object.keys(differs[0].rows[0].lands), [
      'note',
      'price',
      'order_id',
      'region',
      'no',
    ]);
    assert.equal(Object.keys(differences.rows[0].row_id), ['order_id', 'region', 'no']);
    await served.rest.database.query('ALTER TABLE line ADD CHECK (price < 11) NOT VALID');
    assert.match((await run('check', id, '--rehearse')).stdout, `row ${key(42)}`);
  });
});
