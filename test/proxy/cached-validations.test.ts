/** The queries about names that staged reads depend on stay prepared. Whatever code replaces them with, nothing is written. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, e, p, q, runScript, s } from '../helpers/wire-script.ts';

/** `supplant` replaces each prepared query about names with a statement, if one is given, and returns their number. */
const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO item SELECT g, 'item ' || g FROM generate_series(1, 3) g;
CREATE FUNCTION supplant(p_statement text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_statement record;
  v_count int := 0;
BEGIN
  FOR v_statement IN SELECT p.name, array_to_string(p.parameter_types, ',') AS types FROM pg_prepared_statements p WHERE p.name LIKE '\\_stage\\_validation%' LOOP
    EXECUTE format('DEALLOCATE %I', v_statement.name);
    IF p_statement <> '' THEN EXECUTE format('PREPARE %I (%s) AS %s', v_statement.name, v_statement.types, p_statement); END IF;
    v_count := v_count + 1;
  END LOOP;
  RETURN v_count;
END $$;
`;

const read = [b([], 'r'), e(), s];
const before = [
  ...[q(`UPDATE item SET name = 'staged' WHERE id = 1`)],
  ...[p('SELECT name FROM item WHERE id = 1', 'r'), s, ...read],
];
const replaced = (statement: string) => q(`SELECT supplant($$${statement}$$)`);
const write = `UPDATE public.item SET name = 'written' WHERE $1 IS NOT NULL RETURNING current_setting('search_path'), 't'`;

suite('questions that stay prepared', (test) => {
  let proxied: Proxied;
  let contents: string[];
  test.before(async () => {
    proxied = await startProxied(schema);
    contents = await proxied.contents();
  });
  test.after(() => proxied.stop());

  const isRead = (answer: string) => /^D .*\Dstaged$/s.test(answer);
  const wasThere = (answer: string) => /^D .*\D1$/s.test(answer);
  const isError = (sqlstate: string) => (answer: string) => answer.includes(`C=${sqlstate} `);
  const answersTo = async (...script: readonly Buffer[]) => {
    const answers = await runScript(await proxied.session('staged'), [
      ...before,
      ...read,
      ...script,
    ]);
    assert.ok(answers.some(wasThere), answers.join('\n'));
    assert.equal(await proxied.contents(), contents);
    return answers;
  };

  for (const block of [[], [q('BEGIN')], [q('BEGIN READ ONLY')]])
    for (const statement of ['SELECT 1', `SELECT '', 't'`]) {
      test(`are asked anew where another answers: ${statement}, ${block}`, async () => {
        const answers = await answersTo(...block, ...read, replaced(statement), ...read, ...read);
        assert.is(answers.filter(isRead).length, 5, answers.join('\n'));
      });
    }

  test('are asked anew where they have been dropped', async () => {
    const answers = await answersTo(replaced(''), ...read, ...read);
    assert.is(answers.filter(isRead).length, 4, answers.join('\n'));
  });

  test('have a transaction tried again where they have been dropped', async () => {
    const again = [q('ROLLBACK'), q('BEGIN'), ...read];
    const answers = await answersTo(q('BEGIN'), ...read, replaced(''), ...read, ...again);
    assert.is(answers.filter(isError('40001')).length, 1, answers.join('\n'));
    assert.is(answers.filter(isRead).length, 4, answers.join('\n'));
  });

  // after a staged write no read's guard is open
  for (const behind of [[], [q(`UPDATE item SET name = 'staged' WHERE id = 2`)]])
    for (const block of [[], [q('BEGIN')]])
      test(`cannot write: ${block} ${behind}`, async () => {
        const answers = await answersTo(
          ...[...block, ...read, replaced(write), ...behind, ...read],
          ...[q('COMMIT'), ...block, ...read, q('COMMIT')],
        );
        assert.is(answers.filter(isError('25006')).length, 1, answers.join('\n'));
        assert.is(answers.filter(isRead).length, 4, answers.join('\n'));
      });

  test('are let go with everything that is prepared', async () => {
    const anew = [p('SELECT name FROM item WHERE id = 1', 'r'), s, ...read];
    for (const command of ['DEALLOCATE ALL', 'DISCARD ALL']) {
      const script = [replaced('SELECT 1'), q('BEGIN'), q('COMMIT'), q(command), ...anew, ...read];
      const answers = await answersTo(...script);
      assert.is(answers.filter(isRead).length, 4, answers.join('\n'));
    }
  });
});
