/** `stage check --rehearse`: what would land, what triggers would change elsewhere, what production would refuse. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Shell } from './stage.ts';
import { createShell } from './stage.ts';

suite('cli: check --rehearse', (test) => {
  let rest: TestRest;
  let shell: Shell;
  test.before(async () => {
    rest = await startTestRest();
    shell = await createShell(rest.url);
    await rest.database.query(`
      CREATE TABLE log (sku text PRIMARY KEY, was numeric, said text);
      INSERT INTO log VALUES ('x', 1, E'\\u202e');
      CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO log VALUES (NEW.sku, OLD.price, 'new'); UPDATE log SET was = 2 WHERE sku = 'x';
        RETURN NULL;
      END $$;
      CREATE TRIGGER log AFTER UPDATE ON products FOR EACH ROW EXECUTE FUNCTION log()`);
  });
  test.after(async () => {
    await shell.clear();
    await rest.stop();
  });

  const staged = async (statement: string) => {
    const id = await rest.newSession();
    await rest.write(id, statement);
    return id;
  };

  test('tells rows that would land, and those that would change with them', async () => {
    const id = await staged('UPDATE products SET price = 5 WHERE id = 1');
    const { code, stdout, stderr } = await shell.run(['check', id, '--rehearse']);
    assert.equal([code, stderr], [0, '']);
    assert.equal(stdout.split('\n'), [
      'would land 1 row: products ~1',
      'triggers would also change: log +1 ~1',
      '  + log MUG-01  sku MUG-01  was 9.50  said new',
      '  ~ log x  was 1 → 2',
      '',
    ]);
    const json = await shell.run(['check', id, '--rehearse', '--json']);
    assert.equal([json.code, JSON.parse(json.stdout).would_land[0].updates], [0, 1]);
    const csv = await shell.run(['check', id, '--rehearse', '-o', 'csv']);
    assert.is(csv.code, 64);
  });

  test('tells what would be refused, and conflicts, with exit code 3', async () => {
    const id = await staged('UPDATE products SET price = 6 WHERE id = 2');
    await rest.database.query(
      'ALTER TABLE products ADD CONSTRAINT no CHECK (price <> 6) NOT VALID',
    );
    const refused = await shell.run(['check', id, '--rehearse']);
    await rest.database.query('ALTER TABLE products DROP CONSTRAINT no');
    assert.is(refused.code, 3);
    assert.match(
      refused.stdout,
      /^production would refuse the changes: new row for relation "products"/,
    );
    assert.match(refused.stdout, /\n {2}products, row 2, constraint no, SQLSTATE 23514\n$/);
    assert.is((await shell.run(['check', id, '--rehearse', '--json'])).code, 0);
    await rest.database.query('UPDATE products SET price = 8 WHERE id = 2');
    const conflicting = await shell.run(['check', id, '--rehearse']);
    assert.is(conflicting.code, 3);
    assert.match(conflicting.stdout, /^products\t2\tprice\t/);
  });
});
