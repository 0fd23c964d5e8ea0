/** Texts for people contain only ASCII beside the values of rows where the locale is not one of UTF-8. */
import { differenceLines } from '../../src/client/differences.ts';
import { signsOf } from '../../src/client/signs.ts';
import { JsonText } from '../../src/model/json.ts';
import { assert, suite } from '../helpers/suite.ts';
import { serve } from './served.ts';

suite('output in other locales', (test) => {
  const served = serve(test);
  let id: string;
  test.before(async () => {
    const { rest } = served;
    await rest.database.query(`
      INSERT INTO products (sku, name, price, stock) SELECT 'N-' || n, 'new', n, n FROM generate_series(1, 40) n;
      CREATE TABLE touched (id int PRIMARY KEY, n int); INSERT INTO touched VALUES (1, 0);
      CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp
      AS $$ BEGIN UPDATE touched SET n = n + 1 + 0 * length(query_to_xml('SELECT 1', true, true, '')::text); RETURN NULL; END $$;
      CREATE TRIGGER touch AFTER UPDATE ON products FOR EACH STATEMENT EXECUTE FUNCTION touch()`);
    id = await rest.newSession();
    await rest.write(id, `UPDATE products SET price = price * 1.5 WHERE sku LIKE 'N-%'`);
    await rest.write(
      id,
      `UPDATE products SET name = '${'long '.repeat(80)}' WHERE sku = 'N-1' /*${'-'.repeat(400)}*/`,
    );
    await rest.write(id, `UPDATE products SET name = 'a->b' WHERE sku = 'N-2'`);
  });

  const shown: readonly (readonly string[])[] = [
    ['diff'],
    ['diff', '--mode', 'context'],
    ['diff', '--mode', 'stacked'],
    ['diff', '--steps'],
    ['diff', '--why'],
    ['diff', '--brief'],
    ['check', '--rehearse'],
  ];

  const read = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
    const { code, stdout, stderr } = await served.shell.run([...args, id], { env });
    assert.is(code, 0, stderr);
    return stdout;
  };

  for (const args of shown) {
    test(`stage ${args.join(' ')}`, async () => {
      const usual = await read(args, { LC_ALL: 'en_GB.UTF-8', LANG: 'C' });
      assert.match(usual, /[→×…]/);
      assert.is(await read(args, {}), usual);
      const plain = usual.replaceAll('→', '->').replaceAll('×', '*').replaceAll('…', '...');
      for (const env of [{ LC_ALL: 'C' }, { LC_CTYPE: 'POSIX' }, { LANG: 'de_DE.ISO-8859-1' }])
        assert.equal(ageless(await read(args, env)), ageless(plain), JSON.stringify(env));
    });
  }

  test('a value that contains the arrow is quoted', async () => {
    const text = await read(['diff'], { LC_ALL: 'C' });
    assert.match(text, /name: new -> 'a->b'/);
  });

  test('the differences of an approval', () => {
    const [staged, landed] = [new JsonText('1'), new JsonText('2')];
    const row = { table: 't', rowId: new JsonText('7'), field: 'n', staged, landed };
    const differences = { count: 1, unexpected: 1, rows: [{ ...row, expected: null }] };
    assert.equal(differenceLines(differences), ['  t 7  n 1 → 2']);
    assert.equal(differenceLines(differences, signsOf({ LC_ALL: 'C' })), ['  t 7  n 1 -> 2']);
  });
});

const ageless = (text: string) => text.replaceAll(/\b\d+ s\b/g, '<age>');
