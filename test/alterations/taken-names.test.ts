/** An object that a table's definition uses is renamed, and another takes its former name: staging uses the one that PostgreSQL uses. */
import { assert, suite } from '../helpers/suite.ts';
import type { Field } from './field.ts';
import { startField } from './field.ts';
import type { Case } from './random-case.ts';
import { runCase } from './run-case.ts';

const insert = (columns: string, values: string, returned: string) =>
  `INSERT INTO $s.item (id, ${columns}) VALUES (50, ${values}) RETURNING ${returned}`;

/** The alterations, each with a statement whose response shows which of the two objects is used. */
const taken: Readonly<Record<string, readonly [alteration: string, statement: string]>> = {
  'a function of a check': [
    `ALTER FUNCTION $s.good(int) RENAME TO fine; CREATE FUNCTION $s.good(int) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT $1 < 5'`,
    insert('n', '50', 'n'),
  ],
  'a function of a default': [
    `ALTER FUNCTION $s.label() RENAME TO tag; CREATE FUNCTION $s.label() RETURNS text STABLE LANGUAGE sql AS $$SELECT 'other'::text$$`,
    insert('n', '1', 'v'),
  ],
  'a function of a generated column': [
    `ALTER FUNCTION $s.plus(int) RENAME TO more; CREATE FUNCTION $s.plus(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1 + 1000'`,
    insert('n', '1', 'g'),
  ],
  'an operator': [
    `CREATE SCHEMA $s_moved; GRANT USAGE ON SCHEMA $s_moved TO PUBLIC; ALTER OPERATOR $s.<<< (int, int) SET SCHEMA $s_moved;
     CREATE FUNCTION $s.none(int, int) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT false'; CREATE OPERATOR $s.<<< (LEFTARG = int, RIGHTARG = int, FUNCTION = $s.none)`,
    insert('w', '7', 'w'),
  ],
  'a domain': [
    'ALTER DOMAIN $s.dom RENAME TO domain; CREATE DOMAIN $s.dom AS int CHECK (VALUE > 100)',
    insert('d', '7', 'd'),
  ],
  'a type of a default': [
    `ALTER TYPE $s.mood RENAME TO temper; CREATE TYPE $s.mood AS ENUM ('wild')`,
    insert('n', '1', 'm'),
  ],
  'a label of an enum': [
    `ALTER TYPE $s.mood RENAME VALUE 'calm' TO 'still'; ALTER TYPE $s.mood RENAME VALUE 'glad' TO 'calm'`,
    insert('n', '1', 'm'),
  ],
  'a function of a policy': [
    `ALTER FUNCTION $s.may(text) RENAME TO might; CREATE FUNCTION $s.may(text) RETURNS boolean STABLE LANGUAGE sql AS 'SELECT false'`,
    'UPDATE $s.doc SET n = 5 RETURNING id',
  ],
  'a function of a view': [
    `ALTER FUNCTION $s.plus(int) RENAME TO more; CREATE FUNCTION $s.plus(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1 + 1000'`,
    'SELECT id, m FROM $s.added',
  ],
  'a sequence': [
    'ALTER SEQUENCE $s.numbers RENAME TO counter; CREATE SEQUENCE $s.numbers START 9000; GRANT USAGE ON SEQUENCE $s.numbers TO PUBLIC',
    insert('n', '1', 's < 9000'),
  ],
};

suite('names that another object takes', (test) => {
  let field: Field;
  test.before(async () => {
    field = await startField();
  });
  test.after(() => field.stop());

  const play = async (
    at: number,
    drawn: Pick<Case, 'alteration' | 'moment' | 'around' | 'after'>,
  ) => {
    const before = [
      say('INSERT INTO $s.item (id) VALUES (40) RETURNING id'),
      say('UPDATE $s.doc SET n = 4 RETURNING id'),
      say('SELECT id, m FROM $s.added'),
    ];
    const { end, difference } = await runCase(field, {
      seed: at,
      login: 'login',
      before,
      ...drawn,
    });
    assert.equal([end, difference], ['approved', null]);
  };
  const say = (text: string) => ({ text, isSet: false, isExtended: false });
  for (const [at, [name, [text, statement]]] of Object.entries(taken).entries()) {
    test(name, async () => {
      await play(at, {
        moment: 'between',
        alteration: { text, of: ['item'] },
        around: say('SELECT count(*) FROM $s.item'),
        after: [say(statement)],
      });
    });
  }

  const [check] = taken['a function of a check'] ?? [''];
  const update = 'UPDATE $s.item SET n = 50 WHERE id = 1 RETURNING n';

  test('a function of a check, between two executions of a prepared statement', async () => {
    const alteration = { text: check, of: [] };
    await play(20, { moment: 'prepared', alteration, around: say(update), after: [say(update)] });
  });

  test('none: it is created under a name of its own', async () => {
    const alteration = { text: check.replace(/^.*?; /, '').replaceAll('good', 'own'), of: [] };
    await play(21, { moment: 'between', alteration, around: say(update), after: [say(update)] });
  });
});
