/** Names of statements, cursors and savepoints in SQL have exactly the server's meaning, or are refused. */
import pg from 'pg';
import { loadParser } from '../../src/sql/parser/parser.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, suite } from '../helpers/suite.ts';
import { refusalOf, verdictOf } from './verdict-summary.ts';

const a = (count: number) => 'a'.repeat(count);
const lengths = [62, 63, 64, 65, 66, 264];

/** Names of each length that end in a letter of one to four bytes. */
const endings = ['a', 'é', '€', '😀'].flatMap((letter) =>
  lengths.map((bytes) => `${a(bytes - Buffer.byteLength(letter))}${letter}`),
);
const isShort = (name: string) => Buffer.byteLength(name) <= 63;

/** How each name can be written. The last two forms are longer than the name. */
const written = [
  ...endings.flatMap((name) => [name, `"${name}"`]),
  ...['Abc', 'aBC', '"Abc"', '"abc"', 'É', '"É"', 'İ', 'ſ', 'K', `"${'É'.repeat(31)}a"`],
  ...[
    '"a b"',
    '"a""b"',
    '"a\nb"',
    '"a\\b"',
    '"\u0001\u007f"',
    '"\ufeffa"',
    '"e\u0301"',
    '"\u{10ffff}"',
  ],
  ...[`U&"\\0061\\+00006B"`, `U&"!00e9" UESCAPE '!'`, 'a$b', '"$1"', 'select_'],
  ...[`U&"${'\\0061'.repeat(63)}"`, `"${'""'.repeat(63)}"`],
];

const statements = [
  ...['PREPARE NAME AS SELECT 1', 'PREPARE NAME (int, text) AS SELECT $1', 'EXECUTE NAME'],
  ...['EXECUTE NAME(1, 2)', 'DEALLOCATE NAME', 'DEALLOCATE PREPARE NAME'],
  ...['DECLARE NAME CURSOR FOR SELECT 1', 'DECLARE NAME BINARY CURSOR WITH HOLD FOR SELECT 1'],
  ...['FETCH NAME', 'FETCH FORWARD 5 FROM NAME', 'MOVE LAST IN NAME', 'CLOSE NAME'],
  ...['SAVEPOINT NAME', 'RELEASE NAME', 'RELEASE SAVEPOINT NAME', 'ROLLBACK TO NAME'],
  ...['ROLLBACK WORK TO SAVEPOINT NAME', 'SAVEPOINT/* "x" */NAME -- y'],
];

function nameIn(sql: string): string | null {
  const verdict = verdictOf(sql);
  return verdict.kind === 'control' && 'name' in verdict.action ? verdict.action.name : null;
}

suite('names of statements, cursors and savepoints', (test) => {
  let database: TestDatabase;
  let client: pg.Client;
  test.before(async () => {
    await loadParser();
    database = await createTestDatabase({ template: 'empty' });
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  test.after(async () => {
    await client.end();
    await database.drop();
  });

  for (const name of written) {
    test(`are the server's: ${JSON.stringify(name)}`, async () => {
      const cut: string[] = [];
      const note = () => cut.push(name);
      client.on('notice', note);
      await client.query('DEALLOCATE ALL');
      await client.query(`PREPARE ${name} AS SELECT 1`);
      const { rows } = await client.query('SELECT name FROM pg_prepared_statements');
      client.off('notice', note);
      const sql = `PREPARE ${name} AS SELECT 1`;
      if (cut.length > 0) assert.is(refusalOf(sql).sqlstate, '42622');
      else assert.is(nameIn(sql), rows[0].name);
    });
  }

  for (const statement of statements) {
    test(`are refused when they are too long, in ${statement}`, () => {
      for (const name of endings) {
        for (const quoted of [name, `"${name}"`, `U&"${name}"`]) {
          const sql = statement.replace('NAME', quoted);
          if (isShort(name)) assert.is(nameIn(sql), name, sql);
          else assert.is(refusalOf(sql).sqlstate, '42622', sql);
        }
      }
    });
  }

  test('leave other names of a statement alone', () => {
    const column = a(70);
    assert.is(nameIn(`PREPARE p AS SELECT 1 AS ${column}`), 'p');
    assert.is(nameIn(`DECLARE ${'b'.repeat(63)} CURSOR FOR SELECT 1 AS ${column}`), 'b'.repeat(63));
  });

  test('say how long a name may be', () => {
    const { message, hint } = refusalOf(`SAVEPOINT ${a(64)}`);
    assert.is(message, 'name of 64 bytes is longer than the limit of 63 bytes');
    assert.match(hint, /shorter/);
  });
});
