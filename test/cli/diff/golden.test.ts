/** The forms of one diff, with its brief, are those of the files in `golden`, byte for byte. `STAGE_TEST_WRITE=1` writes them. */

import { checkGenerated } from '../../helpers/generated.ts';
import { assert, suite } from '../../helpers/suite.ts';
import { briefData, briefSchema } from '../../review/brief-shop.ts';
import { serve } from '../served.ts';

const statements = [
  'UPDATE products SET price = round(price * 1.1, 2) * CASE WHEN id = 17 THEN 10 ELSE 1 END WHERE id <= 20',
  "UPDATE products SET status = 'cancelled' WHERE status = 'paid' AND id <= 8",
  'DELETE FROM products WHERE id > 404',
  "INSERT INTO products (id, name, stock) VALUES (900, E'new\\nline', 1), (901, '<b>bold</b>', 1), (902, U&'turned \\202E', NULL)",
  "UPDATE orders SET note = 'late | today' WHERE id BETWEEN 1 AND 3",
  "UPDATE orders SET note = 'x' WHERE id = 4",
];

const forms: Readonly<Record<string, readonly string[]>> = {
  'brief.txt': ['--brief'],
  'brief-json.txt': ['--brief', '--json'],
  'stat.txt': ['--stat'],
  'diff.txt': [],
  'diff.md': ['-o', 'markdown'],
  'diff.csv': ['-o', 'csv'],
  'diff-html.txt': ['-o', 'html'],
};

/** Replaces what differs from run to run. */
const fixed = (text: string): string =>
  text
    .replaceAll(/sess_[0-9a-f]{32}/g, 'sess_1')
    .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:digest')
    .replaceAll(/sha256-[\w+/]{43}=/g, 'sha256-style')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/\b\d+ (?:s|min) old/g, 'new')
    .replaceAll(/"revision": ?"[^"]*"/g, '"revision": "1"');

suite('golden diffs', (test) => {
  const served = serve(test);
  let id = '';
  test.before(async () => {
    const { rest } = served;
    await rest.database.query('DROP TABLE products, customers, orders, order_items CASCADE');
    await rest.database.query(briefSchema);
    await rest.database.query(briefData);
    id = await rest.newSession({ metadata: { title: 'Raise prices' } });
    for (const statement of statements) await rest.write(id, statement);
    const json = { message: 'As agreed: *all* prices' };
    await rest.call('POST', `/sessions/${id}/propose`, { json });
  });

  for (const [file, options] of Object.entries(forms))
    test(`${file} is stage diff ${options.join(' ')}`, async () => {
      const { code, stdout } = await served.shell.run(['diff', id, ...options]);
      assert.is(code, 0);
      checkGenerated(`test/cli/diff/golden/${file}`, fixed(stdout));
    });
});
