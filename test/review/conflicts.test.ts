/** Conflicts: every way in which production may change after a session staged, in both scopes. */
import type { StageError } from '../../src/errors.ts';
import type { ConflictScope } from '../../src/model/session.ts';
import { findConflicts } from '../../src/review/conflicts.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE item (id bigint PRIMARY KEY, name text, price numeric(10, 2), stock int, doc json,
  total numeric GENERATED ALWAYS AS (price * stock) STORED);
CREATE TABLE pair (a int, b text, v float8, PRIMARY KEY (a, b));
CREATE TABLE parent (id int PRIMARY KEY, code text UNIQUE);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE, code text REFERENCES parent (code) ON UPDATE CASCADE);
CREATE TABLE orphan (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE SET NULL);
CREATE TABLE strict (id int PRIMARY KEY, parent int REFERENCES parent);
CREATE TABLE log (word text, n int);`;

const data = `
INSERT INTO item VALUES (1,'one',1.00,10,'{}'),(2,'two',2.00,20,NULL),(9007199254740993,'big',3.50,30,NULL);
INSERT INTO pair VALUES (1,'x',0.1),(1,'y',0);
INSERT INTO parent VALUES (1,'a'),(2,'b'),(3,'c'); INSERT INTO child VALUES (1,1,NULL),(2,3,'c'); INSERT INTO orphan VALUES (1,2); INSERT INTO log VALUES ('a',1),('b',2);`;

type Plain = readonly [
  table: string,
  rowId: unknown,
  kind: string,
  field: string | null,
  ...values: unknown[],
];

/** The staged value of a row that the session deletes. */
const deletion = 'the deletion';

suite('conflicts', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.afterEach(() => staging.reset());

  /** Stages, changes production, and returns the conflicts. Approval must find the same and change nothing. */
  async function conflictsAfter(
    staged: string,
    production: string,
    scope?: ConflictScope,
  ): Promise<Plain[]> {
    const session = await staging.open(scope);
    await staging.stage(session, staged);
    await proposeSession(staging.service, session);
    await staging.database.query(production);
    const before = await staging.contents();
    const found = await findConflicts(staging.service, session);
    const parse = (json: { text: string } | null) => (json === null ? null : JSON.parse(json.text));
    const plain = found.map(
      ({ table, rowId, kind, field, sessionDeletes, ...values }): Plain => [
        table,
        parse(rowId),
        kind,
        field,
        parse(values.sessionBase),
        sessionDeletes ? deletion : parse(values.sessionNew),
        parse(values.productionCurrent),
      ],
    );
    const approval = approveSession(staging.service, session, { approvedBy: null, digest: null });
    if (found.length === 0) {
      assert.is((await approval).status, 'approved');
      return plain;
    }
    const error = await rejects<StageError>(approval);
    assert.is(error.code, 'conflict_detected');
    assert.is((error.facts['conflicts'] as unknown[]).length, found.length);
    assert.equal(await staging.contents(), before);
    return plain;
  }

  test('a changed row, one entry a column', async () => {
    const found = await conflictsAfter(
      `UPDATE item SET price = 5 WHERE id = 1`,
      `UPDATE item SET price = 7, name = 'uno' WHERE id = 1`,
    );
    assert.equal(found, [
      ['item', 1, 'changed', 'name', 'one', 'one', 'uno'],
      ['item', 1, 'changed', 'price', 1, 5, 7],
    ]);
  });

  test('a changed row that the session deleted or moved', async () => {
    const found = await conflictsAfter(
      `DELETE FROM item WHERE id = 1; UPDATE item SET id = 20 WHERE id = 2; UPDATE item SET stock = 1 WHERE id = 20`,
      `UPDATE item SET doc = '{"a":1}' WHERE id = 1; UPDATE item SET stock = 21 WHERE id = 2`,
    );
    assert.equal(found, [
      ['item', 1, 'changed', 'doc', {}, deletion, { a: 1 }],
      ['item', 2, 'changed', 'stock', 20, 1, 21],
    ]);
  });

  test('a deletion is told apart from a value that becomes NULL', async () => {
    const found = await conflictsAfter(
      `UPDATE item SET name = NULL WHERE id = 1; DELETE FROM item WHERE id = 2; DELETE FROM log WHERE word = 'a'; UPDATE log SET n = NULL WHERE word = 'b'`,
      `UPDATE item SET name = 'meanwhile' WHERE id < 3; DELETE FROM log`,
    );
    assert.equal(found, [
      ['item', 1, 'changed', 'name', 'one', null, 'meanwhile'],
      ['item', 2, 'changed', 'name', 'two', deletion, 'meanwhile'],
      ['log', 'a3e3aab354f92b2c', 'gone', null, { word: 'a', n: 1 }, deletion, null],
      ['log', 'bbee77cba80671d9', 'gone', null, { word: 'b', n: 2 }, { word: 'b', n: null }, null],
    ]);
  });

  test('values that compare equal but are not the same', async () => {
    const found = await conflictsAfter(
      `UPDATE pair SET v = 1 WHERE b = 'y'; UPDATE item SET name = 'x' WHERE id = 1`,
      `UPDATE pair SET v = '-0' WHERE b = 'y'; UPDATE item SET doc = '{ }' WHERE id = 1`,
    );
    assert.equal(
      found.map((conflict) => conflict.slice(0, 4)),
      [
        ['item', 1, 'changed', 'doc'],
        ['pair', { a: 1, b: 'y' }, 'changed', 'v'],
      ],
    );
  });

  test('a row that is gone', async () => {
    const found = await conflictsAfter(
      `UPDATE item SET price = 5, stock = 6 WHERE id = 9007199254740993; DELETE FROM pair WHERE b = 'x'; UPDATE pair SET v = v WHERE b = 'y'`,
      'DELETE FROM item WHERE id > 2; DELETE FROM pair',
    );
    assert.equal(found, [
      ['item', '9007199254740993', 'gone', 'price', 3.5, 5, null],
      ['item', '9007199254740993', 'gone', 'stock', 30, 6, null],
      ['pair', { a: 1, b: 'x' }, 'gone', null, { a: 1, b: 'x', v: 0.1 }, deletion, null],
      [
        'pair',
        { a: 1, b: 'y' },
        'gone',
        null,
        { a: 1, b: 'y', v: 0 },
        { a: 1, b: 'y', v: 0 },
        null,
      ],
    ]);
  });

  test('a key that now exists', async () => {
    const found = await conflictsAfter(
      `INSERT INTO pair VALUES (2,'n',1); UPDATE pair SET a = 3 WHERE b = 'x'; DELETE FROM pair WHERE b = 'y'; INSERT INTO pair VALUES (1,'y',5)`,
      `INSERT INTO pair VALUES (2,'n',2),(3,'x',2)`,
    );
    assert.equal(found, [
      [
        'pair',
        { a: 2, b: 'n' },
        'key_exists',
        null,
        null,
        { a: 2, b: 'n', v: 1 },
        { a: 2, b: 'n', v: 2 },
      ],
      [
        'pair',
        { a: 3, b: 'x' },
        'key_exists',
        null,
        null,
        { a: 3, b: 'x', v: 0.1 },
        { a: 3, b: 'x', v: 2 },
      ],
    ]);
  });

  test('rows that a staged deletion would reach by now', async () => {
    const found = await conflictsAfter(
      'DELETE FROM parent WHERE id IN (1, 2)',
      `INSERT INTO child VALUES (7,1,NULL); INSERT INTO orphan VALUES (8,2),(9,3)`,
    );
    assert.equal(found, [
      ['child', 7, 'cascade', null, null, null, { id: 7, parent: 1, code: null }],
      ['orphan', 8, 'cascade', null, null, null, { id: 8, parent: 2 }],
    ]);
  });

  test('rows that a staged update would reach by now', async () => {
    const found = await conflictsAfter(
      `UPDATE parent SET code = 'aa' WHERE id = 1; UPDATE parent SET code = 'cc' WHERE id = 3`,
      `INSERT INTO child VALUES (7,2,'a'),(8,2,'b')`,
    );
    assert.equal(found, [
      ['child', 7, 'cascade', null, null, null, { id: 7, parent: 2, code: 'a' }],
    ]);
  });

  test('no conflict: changed and changed back, other rows, new unrelated rows', async () => {
    const found = await conflictsAfter(
      `UPDATE item SET price = 5 WHERE id = 1; UPDATE parent SET code = 'bb' WHERE id = 2`,
      `UPDATE item SET price = 7 WHERE id = 1; UPDATE item SET price = 1.00 WHERE id = 1; UPDATE item SET name = 'dos' WHERE id = 2;
       INSERT INTO orphan VALUES (5,2)`,
    );
    assert.equal(found, []);
  });

  test('scope column: other columns merge', async () => {
    const found = await conflictsAfter(
      `UPDATE item SET price = 5 WHERE id = 1; UPDATE item SET price = 6 WHERE id = 1; UPDATE item SET name = 'b' WHERE id = 2`,
      `UPDATE item SET stock = 77, doc = '[]' WHERE id = 1; UPDATE item SET stock = 1 WHERE id = 2`,
      'column',
    );
    assert.equal(found, []);
    const rows = await staging.database.query(
      'SELECT id, name, price, stock, doc, total FROM item WHERE id < 3 ORDER BY id',
    );
    assert.equal(rows, [
      { id: '1', name: 'one', price: '6.00', stock: 77, doc: [], total: '462.00' },
      { id: '2', name: 'b', price: '2.00', stock: 1, doc: null, total: '2.00' },
    ]);
  });

  test('scope column: the same column conflicts, whatever the values, and so does a deletion', async () => {
    const found = await conflictsAfter(
      `UPDATE item SET stock = 9 WHERE id = 1; DELETE FROM item WHERE id = 2;
       UPDATE pair SET v = 5 WHERE b = 'x'; UPDATE pair SET v = 0.1 WHERE b = 'x'`,
      `UPDATE item SET stock = 9, name = 'x' WHERE id = 1; UPDATE item SET name = 'y' WHERE id = 2; UPDATE pair SET v = 3 WHERE b = 'x'`,
      'column',
    );
    assert.equal(found, [
      ['item', 1, 'changed', 'stock', 10, 9, 9],
      ['item', 2, 'changed', 'name', 'two', deletion, 'y'],
      ['pair', { a: 1, b: 'x' }, 'changed', 'v', 0.1, 0.1, 3],
    ]);
  });

  test('finding conflicts changes nothing and a final session has none', async () => {
    const session = await staging.open();
    await staging.stage(session, 'UPDATE item SET price = 5 WHERE id = 1');
    await staging.database.query('UPDATE item SET price = 7 WHERE id = 1');
    assert.is((await findConflicts(staging.service, session)).length, 1);
    const [locks] = await staging.database.query<{ n: string }>(
      'SELECT count(*) AS n FROM item WHERE xmax <> 0',
    );
    assert.is(locks?.n, '0');
    const unknown = await rejects<StageError>(
      findConflicts(staging.service, `sess_${'0'.repeat(32)}`),
    );
    assert.is(unknown.code, 'session_not_found');
  });
});
