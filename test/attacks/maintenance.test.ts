/**
 * Maintenance in functions that reads call: PostgreSQL lets ANALYZE, REINDEX and CLUSTER run READ ONLY, but they write to the catalogs.
 * On PostgreSQL 15 so does a large object that is made.
 */
import { assert, suite } from '../helpers/suite.ts';
import { probe } from './probed-database.ts';

const commands: Readonly<Record<string, string>> = {
  analyzes: 'ANALYZE public.kept',
  reindexes: 'REINDEX TABLE public.kept',
  clusters: 'CLUSTER public.kept USING kept_pkey',
  makes: 'SELECT pg_catalog.lo_create(0)',
};

const schema = `
CREATE TABLE kept (id int PRIMARY KEY, v text); INSERT INTO kept SELECT g, g FROM generate_series(1, 20) g;
CREATE FUNCTION computes() RETURNS int LANGUAGE plpgsql AS $$BEGIN RETURN (SELECT count(*) FROM public.kept); END$$;
${Object.entries(commands)
  .map(
    ([name, command]) =>
      `CREATE FUNCTION ${name}() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS $$BEGIN EXECUTE '${command}'; RETURN 1; END$$;`,
  )
  .join('\n')}`;

suite('maintenance in functions of reads', (test) => {
  const probed = probe(test, schema);

  test('is undone, in blocks and outside of them', async () => {
    const reads = Object.keys(commands).flatMap((name) => [
      `SELECT ${name}()`,
      `SELECT 1 FROM kept WHERE id = ${name}()`,
    ]);
    await probed.everyWay(reads, ({ way, codes, changes, answers }) => {
      assert.equal(changes, [], way);
      assert.is(codes.length, reads.length, `${way}: ${answers.join('\n')}`);
    });
  });

  test('is undone where the statement is prepared, or not the only one', async () => {
    const reads = [
      'PREPARE look AS SELECT analyzes()',
      'EXECUTE look',
      'EXECUTE look',
      'SELECT 1',
      'SELECT analyzes(), computes()',
    ];
    await probed.everyWay(reads, ({ way, changes }) => assert.equal(changes, [], way));
  });

  test('leaves reads alone that only read, and what is staged after them', async () => {
    const statements = [
      'SELECT computes()',
      'SELECT computes()',
      `INSERT INTO kept VALUES (99, 'x')`,
    ];
    await probed.everyWay(['SELECT makes()', ...statements], ({ way, codes, changes }) => {
      assert.equal(changes, [], way);
      assert.is(codes.length, 1, way);
    });
  });
});
