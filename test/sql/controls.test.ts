/** Transaction control, settings, prepared statements and cursors: which are forwarded, and with which verdict. */
import { loadParser } from '../../src/sql/parser/parser.ts';
import type { ControlAction } from '../../src/sql/verdict.ts';
import { assert, suite } from '../helpers/suite.ts';
import { onlyStatement, slice, summaryOf, verdictOf } from './verdict-summary.ts';

const cases: readonly (readonly [sql: string, action: ControlAction])[] = [
  ['BEGIN', { type: 'begin', access: null }],
  ['BEGIN WORK', { type: 'begin', access: null }],
  ['START TRANSACTION ISOLATION LEVEL SERIALIZABLE, DEFERRABLE', { type: 'begin', access: null }],
  ['BEGIN READ ONLY', { type: 'begin', access: 'read only' }],
  ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', { type: 'begin', access: 'read only' }],
  ['START TRANSACTION READ WRITE', { type: 'begin', access: 'read write' }],
  ['BEGIN READ ONLY, READ WRITE', { type: 'begin', access: 'read write' }],
  ['BEGIN READ WRITE READ ONLY', { type: 'begin', access: 'read only' }],
  ['COMMIT', { type: 'commit', chain: false }],
  ['END TRANSACTION', { type: 'commit', chain: false }],
  ['COMMIT AND CHAIN', { type: 'commit', chain: true }],
  ['COMMIT AND NO CHAIN', { type: 'commit', chain: false }],
  ['ROLLBACK', { type: 'rollback', chain: false }],
  [`PREPARE TRANSACTION 'x'`, { type: 'rollback', chain: false, prepares: true }],
  ['ABORT', { type: 'rollback', chain: false }],
  ['ROLLBACK AND CHAIN', { type: 'rollback', chain: true }],
  ['SAVEPOINT "A b"', { type: 'savepoint', name: 'A b' }],
  ['RELEASE SAVEPOINT A', { type: 'release', name: 'a' }],
  ['ROLLBACK TO s', { type: 'rollback to', name: 's' }],
  ['ROLLBACK TRANSACTION TO SAVEPOINT s', { type: 'rollback to', name: 's' }],
  ['SET TRANSACTION READ WRITE', { type: 'set transaction', access: 'read write' }],
  ['SET LOCAL TRANSACTION READ ONLY', { type: 'set transaction', access: 'read only' }],
  ['SET TRANSACTION ISOLATION LEVEL SERIALIZABLE', { type: 'set transaction', access: null }],
  ['SET transaction_read_only = off', { type: 'set transaction', access: 'read write' }],
  ['SET TRANSACTION_READ_ONLY TO 1', { type: 'set transaction', access: 'read only' }],
  ['SET "Transaction_Read_Only" = \'f\'', { type: 'set transaction', access: 'read write' }],
  ["SET TRANSACTION SNAPSHOT '00000003-0000001B-1'", { type: 'set' }],
  [
    'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE',
    { type: 'set access', to: 'read write' },
  ],
  ['SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY', { type: 'set access', to: 'read only' }],
  ['SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE', { type: 'set' }],
  ['SET default_transaction_read_only = off', { type: 'set access', to: 'read write' }],
  ['SET SESSION Default_Transaction_Read_Only TO on', { type: 'set access', to: 'read only' }],
  ["SET default_transaction_read_only = 'TR'", { type: 'set access', to: 'read only' }],
  ['RESET default_transaction_read_only', { type: 'set access', to: 'reset' }],
  ['/* /* a */ */ -- b\nRESET default_transaction_read_only', { type: 'set access', to: 'reset' }],
  ['SET default_transaction_read_only TO DEFAULT', { type: 'set access', to: 'default' }],
  ['SET search_path = a, "B"', { type: 'set path' }],
  ["SET SCHEMA 'a'", { type: 'set path' }],
  ['SET LOCAL Search_Path TO DEFAULT', { type: 'set path' }],
  ['RESET search_path', { type: 'set path' }],
  ['RESET ALL', { type: 'reset all' }],
  ['SET statement_timeout = 1000', { type: 'set' }],
  ["SET TIME ZONE 'UTC'", { type: 'set' }],
  ['SET TIME ZONE LOCAL', { type: 'set' }],
  ["SET application_name TO 'x'", { type: 'set' }],
  ["SET my.setting = 'x'", { type: 'set' }],
  ['RESET my.setting', { type: 'set' }],
  ["SET NAMES 'utf-8'", { type: 'set' }],
  ['SET NAMES', { type: 'set' }],
  ['SET client_encoding TO UNICODE', { type: 'set' }],
  ['RESET client_encoding', { type: 'set' }],
  ['SET standard_conforming_strings = ON', { type: 'set' }],
  ['SET session_replication_role = origin', { type: 'set' }],
  ['SET ROLE postgres', { type: 'set path' }],
  ['SET ROLE NONE', { type: 'set path' }],
  ["SET LOCAL role = 'a'", { type: 'set path' }],
  ['RESET ROLE', { type: 'set path' }],
  ['RESET SESSION AUTHORIZATION', { type: 'set' }],
  ['SET SESSION AUTHORIZATION DEFAULT', { type: 'set' }],
  ['DISCARD ALL', { type: 'discard', what: 'all' }],
  ['DISCARD PLANS', { type: 'discard', what: 'plans' }],
  ['DISCARD SEQUENCES', { type: 'discard', what: 'sequences' }],
  ['DEALLOCATE p', { type: 'deallocate', name: 'p' }],
  ['DEALLOCATE PREPARE ALL', { type: 'deallocate', name: null }],
  [
    'EXECUTE p',
    {
      type: 'execute',
      name: 'p',
      arguments: [],
      constants: [],
      calls: { functions: [], fields: [], operators: [], types: [] },
      unclear: [],
    },
  ],
  ['FETCH 10 FROM c', { type: 'fetch', name: 'c' }],
  ['FETCH ALL "C"', { type: 'fetch', name: 'C' }],
  ['MOVE BACKWARD 1 IN c', { type: 'fetch', name: 'c' }],
  ['CLOSE c', { type: 'close', name: 'c' }],
  ['CLOSE ALL', { type: 'close', name: null }],
  ['LISTEN c', { type: 'pass' }],
  ['UNLISTEN *', { type: 'pass' }],
];

suite('sql: controls', (test) => {
  test.before(loadParser);
  for (const [sql, action] of cases) {
    test(sql, () => assert.equal(verdictOf(sql), { kind: 'control', action }));
  }

  const prepared: readonly (readonly [sql: string, name: string, body: string, text: string])[] = [
    ['PREPARE p AS SELECT 1', 'p', 'read', 'SELECT 1'],
    [
      'PREPARE "As" (int, numeric(3, 2)) AS /* x */ UPDATE t SET a = $1',
      'As',
      'write',
      'UPDATE t SET a = $1',
    ],
    ['prepare p (s.as, "AS") as values ($1) -- as', 'p', 'read', 'values ($1) -- as'],
    [
      'PREPARE p AS WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d',
      'p',
      'write',
      'WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d',
    ],
  ];
  for (const [sql, name, body, bodyText] of prepared) {
    test(sql, () => {
      const { text, verdict } = onlyStatement(sql);
      if (verdict.kind !== 'control' || verdict.action.type !== 'prepare')
        throw new Error('no PREPARE');
      assert.is(verdict.action.name, name);
      assert.is(summaryOf(verdict.action.body), body);
      assert.is(slice(text, verdict.action.bodyRange), bodyText);
    });
  }

  const executed: readonly (readonly [sql: string, texts: string[], functions: string[]])[] = [
    ['EXECUTE p (1, \'a,b\', "f"(2, 3))', ['1', "'a,b'", '"f"(2, 3)'], ['f']],
    [
      'EXECUTE "p(" ((1), ARRAY[1, 2], -1::numeric(3,2))',
      ['(1)', 'ARRAY[1, 2]', '-1::numeric(3,2)'],
      [],
    ],
    [
      "execute p ($$),($$ /* , */, /* ) */ U&'\\0061' , now())",
      ['$$),($$', "U&'\\0061'", 'now()'],
      ['now'],
    ],
  ];
  for (const [sql, texts, functions] of executed) {
    test(sql, () => {
      const { text, verdict } = onlyStatement(sql);
      if (verdict.kind !== 'control' || verdict.action.type !== 'execute')
        throw new Error('no EXECUTE');
      assert.equal(
        verdict.action.arguments.map((range) => slice(text, range)),
        texts,
      );
      assert.equal(
        verdict.action.calls.functions.map(({ name }) => name),
        functions,
      );
    });
  }

  const locksOf = (options: string, query: string) => {
    const { text, verdict } = onlyStatement(`DECLARE "C" ${options} CURSOR FOR ${query}`);
    if (verdict.kind !== 'control' || verdict.action.type !== 'declare')
      throw new Error('no DECLARE');
    const { name, body, holds } = verdict.action;
    const slices = (ranges: typeof body.locking) => ranges.map((range) => slice(text, range));
    return [name, slices(body.relations), slices(body.locking), holds];
  };

  test('DECLARE keeps its query', () => {
    const query = 'SELECT * FROM t FOR UPDATE';
    assert.equal(locksOf('BINARY NO SCROLL', query), ['C', ['t'], ['FOR UPDATE'], false]);
  });

  test('DECLARE keeps the locks that PostgreSQL refuses, and no others', () => {
    for (const options of ['SCROLL', 'INSENSITIVE', 'SCROLL BINARY'])
      assert.equal(locksOf(options, 'SELECT * FROM t FOR UPDATE'), ['C', ['t'], [], false]);
    const inner = 'SELECT * FROM (SELECT * FROM t FOR SHARE) x';
    assert.equal(locksOf('SCROLL', inner), ['C', ['t'], ['FOR SHARE'], false]);
    assert.equal(locksOf('SCROLL', `${inner} FOR UPDATE`).at(2), ['FOR SHARE', 'FOR UPDATE']);
  });
});
