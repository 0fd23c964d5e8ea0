/** Splitting a query string, and texts that must not be parsed. */

import { parseQuery } from '../../src/sql/classify/parse-query.ts';
import { loadParser } from '../../src/sql/parser/parser.ts';
import { SqlSyntaxError } from '../../src/sql/parser/syntax-error.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { refusalOf, statements, summaryOf } from './verdict-summary.ts';

/** A query string, and its statements: text and verdict. */
const splits: readonly (readonly [sql: string, parts: readonly (readonly [string, string])[]])[] = [
  ['', []],
  [' \t\n ', []],
  [';;', []],
  ['-- nothing', []],
  ['/* nothing */;', []],
  ['SELECT 1', [['SELECT 1', 'read']]],
  [' ; SELECT 1 ; ', [['SELECT 1', 'read']]],
  [
    'SELECT 1;DELETE FROM t;SELECT 2',
    [
      ['SELECT 1', 'read'],
      ['DELETE FROM t', 'write'],
      ['SELECT 2', 'read'],
    ],
  ],
  [
    '/* a */ SELECT 1 /* b */; -- c\nCOMMIT',
    [
      ['SELECT 1 /* b */', 'read'],
      ['COMMIT', 'commit'],
    ],
  ],
  [
    "SELECT 'a\\'; DELETE FROM t; --'",
    [
      ["SELECT 'a\\'", 'read'],
      ['DELETE FROM t', 'write'],
    ],
  ],
  [
    'SELECT "a\\"; DELETE FROM t; --" FROM u',
    [
      ['SELECT "a\\"', 'read'],
      ['DELETE FROM t', 'write'],
    ],
  ],
  [
    'COMMIT; INSERT INTO t VALUES (1)',
    [
      ['COMMIT', 'commit'],
      ['INSERT INTO t VALUES (1)', 'write'],
    ],
  ],
  [
    'SELECT 1 -- /*\n; DELETE FROM t --*/',
    [
      ['SELECT 1 -- /*', 'read'],
      ['DELETE FROM t --*/', 'write'],
    ],
  ],
  ['SELECT 1 /* /* */; DELETE FROM t; */', [['SELECT 1 /* /* */; DELETE FROM t; */', 'read']]],
  [
    "SELECT 'a'\n  '; DELETE FROM t'; ABORT",
    [
      ["SELECT 'a'\n  '; DELETE FROM t'", 'read'],
      ['ABORT', 'rollback'],
    ],
  ],
  [
    "SELECT E'\\\\'; DELETE FROM t; --'",
    [
      ["SELECT E'\\\\'", 'read'],
      ['DELETE FROM t', 'write'],
    ],
  ],
  [
    'SELECT $é$ ; $$ ; $é$; DELETE FROM t',
    [
      ['SELECT $é$ ; $$ ; $é$', 'read'],
      ['DELETE FROM t', 'write'],
    ],
  ],
  ['SELECT 1$$; DELETE FROM t; $$', [['SELECT 1$$; DELETE FROM t; $$', 'syntax']]],
  [
    'SELECT a$$; DELETE FROM t; --$$',
    [
      ['SELECT a$$', 'read'],
      ['DELETE FROM t', 'write'],
    ],
  ],
  [
    'SELECT \'日本語\'; DELETE FROM "テーブル"',
    [
      ["SELECT '日本語'", 'read'],
      ['DELETE FROM "テーブル"', 'write'],
    ],
  ],
  [
    'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END; SELECT 3',
    [
      ['CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END', 'refuse 0A000'],
      ['SELECT 3', 'read'],
    ],
  ],
  [
    'SELECT 1; VACUUM; SELECT 2',
    [
      ['SELECT 1', 'read'],
      ['VACUUM', 'refuse 0A000'],
      ['SELECT 2', 'read'],
    ],
  ],
];

/** A text, and PostgreSQL's message and position. */
const faults: readonly (readonly [sql: string, message: string, position: number | null])[] = [
  ['SELEC 1', 'syntax error at or near "SELEC"', 1],
  ['SELECT * FROM', 'syntax error at end of input', 14],
  ["SELECT 'é', 'ü' FROMM t t t", 'syntax error at or near "t"', 23],
  ["SELECT '😀' 1", 'syntax error at or near "1"', 12],
  ["SELECT 'abc", 'unterminated quoted string at or near "\'abc"', 8],
  ['SELECT "abc', 'unterminated quoted identifier at or near ""abc"', 8],
  ['SELECT ""', 'zero-length delimited identifier at or near """"', 8],
  ['SELECT /* 1', 'unterminated /* comment at or near "/* 1"', 8],
  ['SELECT 123abc', 'trailing junk after numeric literal at or near "123abc"', 8],
  ['SELECT 1; DELET FROM t', 'syntax error at or near "DELET"', 11],
  ['\ufeffSELECT 1', 'syntax error at or near "\ufeffSELECT"', 1],
  ['SELECT 1 ORDER BY 1 LIMIT', 'syntax error at end of input', 26],
  ['REPLACE INTO t VALUES (1)', 'syntax error at or near "REPLACE"', 1],
  ['SELECT 1 \\; DELETE FROM t', 'syntax error at or near "\\"', 10],
];

suite('sql: query strings', (test) => {
  test.before(loadParser);

  for (const [sql, parts] of splits) {
    test(`splits ${JSON.stringify(sql)}`, () => {
      if (parts[0]?.[1] === 'syntax') {
        assert.throws(
          () => statements(sql),
          (error: unknown) => error instanceof SqlSyntaxError,
        );
        return;
      }
      const found = statements(sql);
      assert.equal(
        found.map(({ text, verdict }) => [text.toString(), summaryOf(verdict)]),
        parts,
      );
      const whole = Buffer.from(sql);
      for (const { start, text } of found) {
        assert.is(whole.subarray(start, start + text.length).toString(), text.toString());
      }
    });
  }

  for (const [sql, message, position] of faults) {
    test(`does not accept ${JSON.stringify(sql)}`, () => {
      const error = syntaxErrorOf(Buffer.from(sql));
      assert.is(error.message, message);
      assert.is(error.position, position);
      assert.is(error.sqlstate, '42601');
    });
  }

  test('tells what PostgreSQL does not have from mistakes', () => {
    for (const sql of [
      'CREATE ASSERTION a CHECK (true)',
      'CREATE TABLE t (a int, FOREIGN KEY (a) REFERENCES u ON UPDATE SET NULL (a))',
      'ALTER TABLE t ALTER CONSTRAINT c NOT VALID',
      'CREATE TABLE t (a int, CHECK (a > 0) DEFERRABLE)',
    ])
      assert.is(syntaxErrorOf(Buffer.from(sql)).sqlstate, '0A000', sql);
  });

  test('refuses a zero byte, behind which something may hide', () => {
    const refusal = refusalOf('SELECT 1\0; DELETE FROM t');
    assert.is(refusal.sqlstate, '22021');
    assert.is(refusal.message, 'invalid byte sequence for encoding "UTF8": 0x00');
  });

  const broken = {
    'a lone continuation byte': [0x80],
    'Latin-1': [0xe9],
    'a cut sequence': [0xe3, 0x81],
    'an overlong quote': [0xc0, 0xa7],
    'an overlong zero': [0xc0, 0x80],
    'a surrogate': [0xed, 0xa0, 0x80],
    'beyond Unicode': [0xf4, 0x90, 0x80, 0x80],
    'Shift-JIS with a trailing backslash': [0x95, 0x5c],
    'GBK with a trailing quote byte': [0xbf, 0x27],
  };
  for (const [what, bytes] of Object.entries(broken)) {
    test(`refuses ${what}`, () => {
      const text = Buffer.concat([
        Buffer.from("SELECT '"),
        Buffer.from(bytes),
        Buffer.from("'; DELETE FROM t; --'"),
      ]);
      const [statement, ...more] = parseQuery(text);
      assert.is(statement && summaryOf(statement.verdict), 'refuse 22021');
      assert.is(more.length, 0);
    });
  }

  test('refuses what is longer than the limit, before parsing it', () => {
    const [statement] = parseQuery(Buffer.from(`not even SQL ${'x'.repeat(100)}`), 100);
    assert.is(statement && summaryOf(statement.verdict), 'refuse 54000');
    assert.is(parseQuery(Buffer.from(`SELECT '${'x'.repeat(91)}'`), 100).length, 1);
  });

  test('reads control characters in strings, names and comments', () => {
    const sql =
      'SELECT \'\u0001\u001b[31m\u007f\' AS "\u0002", 2 /* \u0003 */ FROM "\u007f\u0004" FOR UPDATE';
    const [statement] = statements(sql);
    assert.is(statement && summaryOf(statement.verdict), 'read');
  });

  test('is not led astray by quotes and comments, in 2,000 random texts', () => {
    for (let seed = 1; seed <= 2_000; seed += 1) {
      const { sql, kinds } = randomQueryString(createRandom(seed));
      const found = statements(sql).map(({ verdict }) => summaryOf(verdict));
      assert.equal(found, kinds, `seed ${seed}: ${sql}`);
    }
  });
});

function syntaxErrorOf(text: Buffer): SqlSyntaxError {
  try {
    parseQuery(text);
  } catch (error) {
    if (error instanceof SqlSyntaxError) return error;
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

/** Returns statements with another hidden in every place where it is only text, and the kinds of the real ones. */
function randomQueryString(random: Random): { sql: string; kinds: string[] } {
  const kinds: string[] = [];
  const parts: string[] = [];
  for (let count = 1 + random.below(4); count > 0; count -= 1) {
    const kind = random.pick(['read', 'write']);
    kinds.push(kind);
    const literals = Array.from({ length: 1 + random.below(3) }, () => hidden(random)).join(', ');
    parts.push(kind === 'read' ? `SELECT ${literals}` : `DELETE FROM t WHERE x IN (${literals})`);
  }
  return { sql: parts.map((part) => space(random) + part + space(random)).join(';'), kinds };
}

function hidden(random: Random): string {
  const bait = random.pick([
    '; DELETE FROM t; ',
    ' -- ',
    ' /* ',
    ' */ ',
    ' $$ ',
    ' $x$ ',
    'é',
    '\\',
    ' E',
  ]);
  const more = random.chance(0.5) ? random.pick(['; DROP TABLE t; ', '$', '/*', '--', '😀']) : '';
  const text = bait + more;
  const doubled = text.replaceAll('\\', '\\\\');
  return random.pick([
    `'${text}'`,
    `'${text}'''`,
    `E'${doubled}\\''`,
    `U&'${doubled}'`,
    `$q$${text}$q$`,
    `$Äq1$'${text}"$Äq1$`,
    `"${text}"`,
    `x."a""${text}"`,
    `'a'\n'${text}'`,
    `N'${text}'`,
    `B'01' || '${text}'`,
  ]);
}

function space(random: Random): string {
  return random.pick([
    '',
    ' ',
    '\n',
    '/* ; DELETE FROM t */',
    '/* /* */ ; */',
    '-- ; DELETE FROM t\n',
    '\t--\r\n',
    '/**/',
  ]);
}
