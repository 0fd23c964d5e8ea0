/** Advisory locks as migrations and job queues take them: refused unless the configuration allows them, otherwise PostgreSQL's own. */
import { startTestDaemon } from '../helpers/daemon.ts';
import type { Step } from '../helpers/interleaving.ts';
import { interleave } from '../helpers/interleaving.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { q, run, runScript, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE job (id int PRIMARY KEY, taken boolean NOT NULL DEFAULT false);
INSERT INTO job SELECT g FROM generate_series(1, 4) g;`;

const takers = ['pg_advisory_lock', 'pg_advisory_xact_lock'].flatMap((name) => [
  name,
  `${name}_shared`,
  name.replace('pg_', 'pg_try_'),
  `${name.replace('pg_', 'pg_try_')}_shared`,
]);

/** Statements of one connection. After each, another connection lists what is locked. */
const stories: Readonly<Record<string, readonly string[]>> = {
  'of the session': [
    'SELECT pg_advisory_lock(1), pg_try_advisory_lock(1), pg_advisory_lock_shared(2, 3)',
    'SELECT pg_advisory_unlock(1)',
    'BEGIN; SELECT pg_advisory_lock(4); UPDATE job SET taken = true WHERE id = 1',
    'ROLLBACK',
    'SELECT pg_advisory_unlock(1), pg_advisory_unlock(4), pg_advisory_unlock_shared(2, 3)',
    'SELECT pg_advisory_unlock(1)',
    'SELECT pg_advisory_lock(5), pg_advisory_unlock_all()',
  ],
  'of the transaction': [
    'SELECT pg_advisory_xact_lock(1)',
    'BEGIN; SELECT pg_advisory_xact_lock(1), pg_try_advisory_xact_lock_shared(2)',
    'UPDATE job SET taken = true WHERE id = 2',
    'SAVEPOINT a; SELECT pg_advisory_xact_lock(3)',
    'ROLLBACK TO a',
    'SELECT pg_advisory_xact_lock(4)',
    'COMMIT',
  ],
  'in staged writes': [
    'UPDATE job SET taken = pg_try_advisory_lock(id) WHERE id = 3 RETURNING taken',
    'BEGIN; DELETE FROM job WHERE id = (SELECT id FROM job WHERE pg_try_advisory_xact_lock(id) ORDER BY id LIMIT 1)',
    'COMMIT',
    'SELECT pg_advisory_unlock_all()',
  ],
};

const held =
  'SELECT classid, objid, mode, granted FROM pg_locks WHERE locktype = $$advisory$$ AND objsubid IN (1, 2) AND classid < 1000 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY 1, 2, 3';

/** A worker of a queue locks a row's key, not the row. */
const races: readonly Step[] = [
  [0, 'SELECT pg_advisory_lock(7)'],
  [1, 'SELECT pg_try_advisory_lock(7)'],
  [1, 'SELECT pg_advisory_lock(7)'],
  [0, 'SELECT pg_advisory_unlock(7)'],
  [1, 'SELECT pg_advisory_unlock(7)'],
];

suite('advisory locks', (test) => {
  let strict: Proxied;
  let allowing: Proxied;
  test.before(async () => {
    strict = await startProxied(schema);
    allowing = await startProxied(schema, { allowFunctions: takers.join(',') });
  });
  test.after(async () => {
    await strict.stop();
    await allowing.stop();
  });

  test('are refused with the name of the setting, in reads and writes', async () => {
    const client = await strict.connect(await strict.session());
    for (const name of takers) {
      const argument = name.endsWith('shared') ? '1, 2' : '1';
      for (const text of [
        `SELECT ${name}(${argument})`,
        `SELECT id FROM job WHERE pg_catalog.${name}(${argument}) IS NULL`,
        `UPDATE job SET taken = ${name}(${argument}) IS NULL`,
      ]) {
        const error = await rejects<Error & { code: string; hint: string }>(client.query(text));
        assert.is(error.code, '0A000', text);
        assert.match(error.message, new RegExp(`function (pg_catalog\\.)?${name}\\(\\)`));
        assert.match(error.hint, /allow_functions/);
      }
    }
    assert.equal((await strict.database.query(held)).length, 0);
  });

  test('that nobody holds are given back as PostgreSQL does', async () => {
    const messages = [
      'SELECT pg_advisory_unlock(1)',
      'SELECT pg_advisory_unlock_shared(1, 2)',
      'SELECT pg_advisory_unlock_all()',
    ].flatMap((text) => [q(text), run(text), s]);
    const staged = await runScript(await strict.session('staged'), messages);
    assert.equal(staged, await runScript(strict.twin.url, messages));
  });

  for (const [name, statements] of Object.entries(stories)) {
    test(`${name}, where they are allowed`, async () => {
      const tales = await Promise.all(
        [
          [await allowing.session('staged'), allowing.database] as const,
          [allowing.twin.url, allowing.twin] as const,
        ].map(async ([url, database]) => {
          const client = await allowing.connect(url);
          const reported: unknown[] = [];
          for (const text of statements) {
            const results = [await client.query({ text, rowMode: 'array' })].flat();
            reported.push(
              text,
              results.map(({ rows }) => rows),
              await database.query(held),
            );
          }
          return reported;
        }),
      );
      assert.equal(tales[0], tales[1]);
    });
  }

  test('hold nothing of the service up, whoever holds which', async () => {
    const holder = await strict.connect(strict.database.url);
    // 'stag' and the numbers after it: the service once used them
    await holder.query(
      `SELECT pg_advisory_lock(g) FROM generate_series(x'73746160'::int, x'7374617f'::int) g`,
    );
    const again = await startTestDaemon({ database: strict.database });
    const client = await strict.connect(await again.clientUrl(await again.newSession()));
    const { rowCount } = await client.query('UPDATE job SET taken = true');
    assert.is(rowCount, 4);
    await client.end();
    await again.stop();
    await holder.end();
  });

  test('two connections wait for each other, where they are allowed', async () => {
    const staged = await interleave(allowing.database, await allowing.session(), races);
    assert.equal(staged, await interleave(allowing.twin, allowing.twin.url, races));
  });
});
