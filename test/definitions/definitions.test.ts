/** Definitions change while a session lives: its reads and writes get PostgreSQL's responses. */
import { assert, suite } from '../helpers/suite.ts';
import type { Step } from './program.ts';
import { randomProgram } from './program.ts';
import { reportOf } from './report.ts';
import { runProgram } from './run-program.ts';

const directly = (text: string): Step => ({ kind: 'change', text });
const on = (connection: number, text: string): Step => ({
  kind: 'statement',
  text,
  on: connection,
  isExtended: false,
});

/** Regressions that random programs found. */
const found: Readonly<Record<string, readonly Step[]>> = {
  'the root of a partition that was read gets another name': [
    on(0, `UPDATE other.a SET v = 'set' WHERE id = 1`),
    on(0, 'SELECT * FROM other.b'),
    directly('ALTER TABLE other.a RENAME TO h'),
    on(0, 'SELECT * FROM other.b'),
  ],
  'the root of a partition that was read, and another table, change names': [
    directly('CREATE TABLE other.g PARTITION OF other.a FOR VALUES FROM (10) TO (20)'),
    on(0, 'SELECT * FROM other.b'),
    directly(
      'ALTER TABLE other.a RENAME TO h; ALTER TABLE other.g RENAME TO a; ALTER TABLE other.h RENAME TO g',
    ),
    on(0, 'SELECT * FROM other.b'),
  ],
  'the table behind a view gets another name, and its columns do': [
    on(0, `UPDATE a SET v = 'set' WHERE id = 1`),
    on(0, 'SELECT * FROM c'),
    directly('ALTER TABLE a RENAME TO h; ALTER TABLE h RENAME v TO w'),
    on(1, 'SELECT * FROM c'),
    directly('CREATE TABLE a (id int PRIMARY KEY, v text)'),
    on(0, 'SELECT * FROM c'),
  ],
  'a child with staged rows gets another name': [
    on(0, `INSERT INTO b (id, v) VALUES (9, 'new')`),
    directly('ALTER TABLE b RENAME TO f'),
    on(1, 'SELECT * FROM a'),
  ],
  'a child that was read gets children': [
    on(0, 'SELECT * FROM b'),
    on(1, `UPDATE a SET v = 'set' WHERE id = 11`),
    on(0, 'SELECT * FROM b'),
    directly('CREATE TABLE f (PRIMARY KEY (id)) INHERITS (b)'),
    on(1, `INSERT INTO f (id, v) VALUES (30, 'new')`),
    on(1, `UPDATE b SET v = 'set' WHERE id = 30`),
    on(0, 'SELECT * FROM b'),
  ],
};

const parked: readonly Step[] = [
  on(0, `INSERT INTO other.a (id, v) VALUES (3, 'p')`),
  directly('ALTER TABLE other.a ADD COLUMN x int DEFAULT 7'),
  on(1, 'SELECT * FROM other.b'),
  directly('CREATE VIEW d AS SELECT id FROM other.a'),
  directly('ALTER TABLE other.a DROP COLUMN x'),
  on(1, 'SELECT * FROM other.b'),
  on(1, 'SELECT * FROM d'),
  on(1, 'SELECT * FROM a'),
];

async function assertAlike(steps: readonly Step[]) {
  const { difference, ...outcome } = await runProgram(steps);
  if (difference) assert.unreachable(await reportOf(steps, difference, 20));
  return outcome;
}

suite('definitions that change', (test) => {
  for (const [name, steps] of Object.entries(found)) {
    test(name, async () => {
      const { alike, end } = await assertAlike(steps);
      assert.equal(
        [alike, end],
        [steps.filter(({ kind }) => kind === 'statement').length, 'approved'],
      );
    });
  }

  test('rows that a change has made ambiguous are missed by nobody who reads them', async () => {
    assert.equal(await assertAlike(parked), { alike: 3, refused: 2, end: 'conflict' });
  });

  test(
    'a random program',
    async () => {
      assert.ok((await assertAlike(randomProgram(1, 60))).alike > 0);
    },
    { timeout: 120_000 },
  );
});
