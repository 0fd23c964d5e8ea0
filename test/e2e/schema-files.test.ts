/** The comparison of schemas that others wrote, `npm run schemas`, in short: nothing is refused, nothing differs. */
import { needProgram } from '../helpers/programs.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { compareSchema } from '../schemas/compare.ts';

suite('schemas of files', (test) => {
  test('are staged as they are written directly, and approved', async () => {
    needProgram('psql');
    const proxied = await startProxied('');
    try {
      const { tables, rows, equal, ...found } = await compareSchema(
        proxied,
        'test/fixtures/schema.sql',
        { searchPath: ['elsewhere', 'public'], wanted: /(?:)/, tell: () => undefined },
      );
      for (const url of [proxied.database.url, proxied.twin.url]) {
        const { rows } = await (await proxied.connect(url)).query('SHOW search_path');
        assert.equal(rows, [{ search_path: 'elsewhere, public' }]);
      }
      assert.equal([tables, rows], [5, 10]);
      assert.ok(equal > 8 * tables, `${equal} equal`);
      assert.equal(found.loadErrors, []);
      assert.equal([found.refused, found.differing], [[], []]);
      assert.equal(found.life.slice(0, -1), [
        'diff 200',
        'conflicts 200',
        'mutations 200',
        'rehearse 200',
        'propose 200',
        'approve 200',
        "rows unlike the twin's: none",
      ]);
      // rows without a key are not reverted
      assert.match(found.life.at(-1) ?? '', /^revert 409 .*notes: the table has no key/);
    } finally {
      await proxied.stop();
    }
  });
});
