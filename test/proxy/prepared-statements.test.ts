/** Prepared statements that outlive transactions, settings and the shape of their tables, staged and directly. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, c, connectWire, d, e, exchange, p, q, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, n int);
INSERT INTO item VALUES (1, 10), (2, 20), (3, 30);
CREATE TABLE target (id int PRIMARY KEY, n int);
INSERT INTO target VALUES (1, 1), (2, 2);
`;

/** Messages of a client, read up to ReadyForQuery after each step; a text is a migration that runs meanwhile. */
type Step = readonly Buffer[] | string;

const merge =
  'MERGE INTO target t USING (SELECT $1::int AS id, $2::int AS n) v ON t.id = v.id WHEN MATCHED AND v.n IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET n = v.n WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.n)';
const all = [q('SELECT * FROM item ORDER BY id'), q('SELECT * FROM target ORDER BY id')].map(
  (message) => [message],
);

const changesOf = (before: readonly Step[]): readonly Step[] => [
  ...before,
  [p('SELECT * FROM target ORDER BY id', 't'), b([], 't'), d(), e(), s],
  [p('SELECT n FROM target WHERE id = $1', 'n'), s],
  [q('PREPARE x AS SELECT count(*), max(n) FROM target; EXECUTE x')],
  'ALTER TABLE target ADD note text',
  [b([], 't'), e(), s],
  [b(['1'], 'n'), e(), s],
  'ALTER TABLE target DROP note',
  [b([], 't'), e(), s],
  'ALTER TABLE target ALTER n TYPE bigint',
  [b([], 't'), e(), s],
  [b(['1'], 'n'), e(), s],
  [q('EXECUTE x')],
  [b([], 't'), e(), s],
  'ALTER TABLE target ALTER n TYPE int',
  [b(['1'], 'n'), e(), s],
  [q('EXECUTE x')],
];

const stories: Record<string, readonly Step[]> = {
  'across transactions and rollbacks': [
    [q('BEGIN')],
    [p('UPDATE item SET n = n + $1 WHERE id = $2 RETURNING n', 'w'), s],
    [p('SELECT n FROM item WHERE id = $1', 'r'), s],
    [b(['1', '1'], 'w'), e(), b(['1'], 'r'), e(), s],
    [q('ROLLBACK')],
    [b(['2', '1'], 'w'), e(), b(['1'], 'r'), e(), s],
    [q('BEGIN; SAVEPOINT a')],
    [b(['x', '1'], 'w'), e(), s],
    [b(['3', '1'], 'w'), e(), s],
    [q('ROLLBACK TO a')],
    [b(['3', '1'], 'w'), e(), b(['1'], 'r'), e(), s],
    [q('COMMIT')],
    [b(['1'], 'r'), e(), s],
    [c('statement', 'w'), b(['1', '1'], 'w'), e(), s],
    ...all,
  ],
  'PREPARE, EXECUTE, DEALLOCATE': [
    [q('BEGIN; PREPARE w (int) AS UPDATE item SET n = n + 1 WHERE id = $1 RETURNING n')],
    [q('EXECUTE w(1); ROLLBACK')],
    [q('EXECUTE w(1); EXECUTE w(1 + 1); EXECUTE w(NULL)')],
    [q('EXECUTE w')],
    [q(`EXECUTE w('x')`)],
    [q('PREPARE w AS SELECT 1')],
    [q('PREPARE r AS SELECT n FROM item WHERE id = $1; EXECUTE r(1)')],
    [q('BEGIN; DELETE FROM item WHERE id = 1; EXECUTE r(1); ROLLBACK; EXECUTE r(1)')],
    [q('BEGIN; DEALLOCATE w; ROLLBACK')],
    [q('EXECUTE w(1)')],
    [q('PREPARE w AS INSERT INTO item VALUES ($1, $2); EXECUTE w(7, 8)')],
    [q('EXECUTE w(7, 8)')],
    [b(['8', '9'], 'w'), e(), b(['8'], 'r'), d(), e(), s],
    [q('DEALLOCATE PREPARE ALL')],
    [q('EXECUTE r(1)')],
    ...all,
  ],
  'of both protocols, forgotten by DISCARD ALL': [
    [p('UPDATE item SET n = 5 WHERE id = $1', 'w'), b(['1'], 'w'), e(), s],
    [q('PREPARE x AS DELETE FROM item WHERE id = $1; EXECUTE x(3)')],
    [q('DISCARD PLANS; EXECUTE x(2)')],
    [b(['1'], 'w'), e(), s],
    [q('DISCARD ALL')],
    [b(['1'], 'w'), e(), s],
    [q('EXECUTE x(1)')],
    [p('UPDATE item SET n = 6 WHERE id = $1', 'w'), b(['1'], 'w'), e(), s],
    [q('PREPARE x AS SELECT 1; EXECUTE x')],
    ...all,
  ],
  'the unnamed statement of a write': [
    [p('UPDATE item SET n = n + 1 WHERE id = $1'), b(['1']), e(), s],
    [b(['1']), e(), s],
    [q('SELECT 1')],
    [b(['1']), e(), s],
    ...all,
  ],
  'a MERGE': [
    [p(merge, 'm'), d('statement', 'm'), s],
    [b(['1', '100'], 'm'), d(), e(), s],
    [q('BEGIN')],
    [b(['2', null], 'm'), e(), b(['3', '3'], 'm'), e(), s],
    [q('ROLLBACK')],
    [b(['2', null], 'm'), e(), b(['3', '3'], 'm'), e(), b(['3', '4'], 'm'), e(), s],
    [b(['4', 'x'], 'm'), e(), s],
    [
      q(
        `PREPARE pm (int, int) AS ${merge}; EXECUTE pm(9, 9); EXECUTE pm(9, NULL); EXECUTE pm(5, 5)`,
      ),
    ],
    'ALTER TABLE target ADD note text',
    [b(['3', '5'], 'm'), e(), s],
    [q('EXECUTE pm(5, 6)')],
    [q('SELECT id, n FROM target ORDER BY id')],
    'ALTER TABLE target DROP note',
  ],
  'a column is added': [
    [p('SELECT id FROM item ORDER BY id', 'i'), b([], 'i'), e(), s],
    [p('UPDATE item SET n = n + 1 WHERE id = $1 RETURNING n', 'w'), b(['1'], 'w'), e(), s],
    [q('PREPARE x AS DELETE FROM item WHERE id = $1; PREPARE y AS SELECT n FROM item')],
    [q('EXECUTE x(3); EXECUTE y')],
    `ALTER TABLE item ADD note text DEFAULT 'new'`,
    [b([], 'i'), e(), s],
    [b(['1'], 'w'), e(), s],
    [q('EXECUTE x(2); EXECUTE y')],
    'ALTER TABLE item DROP note',
    [b([], 'i'), e(), s],
    [b(['1'], 'w'), d(), e(), s],
    [q('EXECUTE y')],
    ...all,
  ],
  'a column is dropped': [
    'ALTER TABLE item ADD gone int DEFAULT 1',
    [p('SELECT gone FROM item WHERE id = $1', 'r'), b(['1'], 'r'), e(), s],
    [p('UPDATE item SET gone = $1', 'w'), s],
    [p('UPDATE item SET n = $1', 'v'), b(['1'], 'v'), e(), s],
    'ALTER TABLE item DROP gone',
    [b(['1'], 'r'), e(), s],
    [b(['1'], 'w'), e(), s],
    [b(['2'], 'v'), e(), s],
    ...all,
  ],
  'a column is retyped': [
    [p('SELECT count(n) FROM target', 'k'), b([], 'k'), e(), s],
    [p('UPDATE target SET n = n + 1 WHERE id = 99 RETURNING id', 'w'), b([], 'w'), e(), s],
    'ALTER TABLE target ALTER n TYPE bigint',
    [b([], 'k'), e(), s],
    [b([], 'w'), e(), s],
    'ALTER TABLE target ALTER n TYPE int',
    [b([], 'w'), d(), e(), s],
    ...all,
  ],
  'the columns of SELECT * change': [
    [p('SELECT * FROM item ORDER BY id', 'i'), b([], 'i'), e(), s],
    [q('PREPARE x AS SELECT * FROM item ORDER BY id; EXECUTE x')],
    [q('INSERT INTO item VALUES (4, 40)')],
    [b([], 'i'), e(), s],
    [p('SELECT n FROM item WHERE id = $1', 'n'), s],
    `ALTER TABLE item ADD note text DEFAULT 'new'`,
    [b([], 'i'), e(), s],
    [q('EXECUTE x')],
    [b(['4'], 'n'), e(), s],
    [q('BEGIN')],
    [b(['4'], 'n'), e(), s],
    [b([], 'i'), e(), s],
    [b(['4'], 'n'), e(), s],
    [q('ROLLBACK')],
    [c('statement', 'i'), p('SELECT * FROM item ORDER BY id', 'i'), b([], 'i'), d(), e(), s],
    [q('DEALLOCATE x; PREPARE x AS TABLE item ORDER BY id; EXECUTE x')],
    'ALTER TABLE item RENAME n TO m',
    [b([], 'i'), e(), s],
    [b(['4'], 'n'), e(), s],
    'ALTER TABLE item RENAME m TO n',
    [b(['4'], 'n'), e(), s],
    [b([], 'i'), e(), s],
    [q('EXECUTE x')],
  ],
  'the columns of a table without staged rows change': changesOf([]),
  'the columns of a table change that had staged rows': changesOf([
    [q('BEGIN; INSERT INTO target VALUES (3, 3); ROLLBACK')],
  ]),
  'the columns of RETURNING * change': [
    [p('UPDATE item SET n = n + 1 WHERE id = $1 RETURNING *', 'w'), b(['1'], 'w'), e(), s],
    [p('UPDATE item SET n = n + 1 WHERE id = $1', 'v'), b(['1'], 'v'), e(), s],
    [q('PREPARE x AS DELETE FROM item WHERE id = $1 RETURNING *')],
    [p('PREPARE y AS INSERT INTO item VALUES ($1, 1) RETURNING *'), b(), e(), s],
    [q('EXECUTE y(7)')],
    `ALTER TABLE item ADD note text DEFAULT 'new'`,
    [b(['1'], 'w'), e(), s],
    [b(['1'], 'w'), d(), e(), s],
    [b(['1'], 'v'), e(), s],
    [q('EXECUTE x(2)')],
    [q('EXECUTE y(8)')],
    [q('BEGIN; UPDATE item SET n = 0 WHERE id = 3; SAVEPOINT a')],
    [b(['1'], 'w'), e(), s],
    [q('ROLLBACK TO a')],
    [q('EXECUTE x(2)')],
    [q('ROLLBACK TO a; COMMIT')],
    [c('statement', 'w'), p('DELETE FROM item WHERE id = $1 RETURNING *', 'w'), s],
    [b(['2'], 'w'), d(), e(), s],
    ...all,
  ],
  'the first staged row comes in between': [
    [p('SELECT id, n FROM item ORDER BY id', 'r'), b([], 'r'), d(), e(), s],
    [q('PREPARE x AS SELECT count(*), sum(n) FROM item; EXECUTE x')],
    [p('SELECT id FROM target WHERE n IN (SELECT n FROM item)', 'j'), b([], 'j'), e(), s],
    [q('INSERT INTO item VALUES (0, 1)')],
    [b([], 'r'), d(), e(), s],
    [q('EXECUTE x')],
    [b([], 'j'), e(), s],
    [q('BEGIN; EXECUTE x; UPDATE target SET n = 20; EXECUTE x')],
    [b([], 'j'), e(), b([], 'r'), e(), s],
    [q('ROLLBACK; EXECUTE x')],
    [b([], 'j'), e(), s],
  ],
};

/** Sends the steps to the proxy and to the twin, and compares the responses. */
async function approve({ daemon, database, twin }: Proxied, steps: readonly Step[]): Promise<void> {
  const tell = async (url: string, query: (text: string) => Promise<unknown>) => {
    const client = await connectWire(url);
    const reported: string[] = [];
    for (const step of steps) {
      if (typeof step === 'string') await query(step);
      else {
        const answers = await exchange(client, ...step);
        reported.push(
          `${Buffer.concat(step).toString('latin1').replaceAll('\0', '.')}: ${answers.join(' | ')}`,
        );
      }
    }
    client.close();
    return reported;
  };
  const direct = await tell(twin.url, twin.query);
  const url = daemon.clientUrl(await daemon.newSession({ reads: 'staged' }));
  assert.equal(await tell(url, database.query), direct);
}

suite('prepared statements', (test) => {
  for (const [name, steps] of Object.entries(stories)) {
    test(name, async () => {
      const proxied = await startProxied(schema);
      try {
        await approve(proxied, steps);
      } finally {
        await proxied.stop();
      }
    });
  }

  for (const name of ['l', ''])
    test(`the columns of a table change in which another session has staged rows: "${name}"`, async () => {
      const proxied = await startProxied(schema);
      try {
        for (const of of [proxied.database, proxied.twin])
          await of.query('CREATE TABLE late (id int PRIMARY KEY, n int)');
        const other = await proxied.connect(await proxied.session());
        await other.query('INSERT INTO late VALUES (1, 1)');
        await approve(proxied, [
          // the overlay of the other session's rows is outdated
          'ALTER TABLE late ALTER n TYPE bigint',
          [p('SELECT * FROM late', name), d('statement', name), s],
          'ALTER TABLE late ALTER n TYPE text',
          [b([], name), e(), s],
          [b([], name), e(), s],
          'ALTER TABLE late ALTER n TYPE bigint USING n::bigint',
          [b([], name), e(), s],
        ]);
      } finally {
        await proxied.stop();
      }
    });
});
