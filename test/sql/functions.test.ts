/** Which functions a statement may call, by their names. */
import type { FoundFunction } from '../../src/sql/functions/effects.ts';
import type { FunctionContext } from '../../src/sql/functions/functions.ts';
import {
  changesPath,
  functionRefusal,
  hasEffects,
  isAllowedFunction,
  isStageableVolatile,
  refusedFunctions,
} from '../../src/sql/functions/functions.ts';
import { loadParser } from '../../src/sql/parser/parser.ts';
import { assert, suite } from '../helpers/suite.ts';
import { queryIn, verdictOf } from './verdict-summary.ts';

/** Calls that are refused in reads and in writes. */
const harmful = `
  pg_catalog.pg_notify('a','b') lo_create(1) lo_import('/x') lo_export(1,'/x') lowrite(1,'x') lo_put(1,0,'x')
  lo_unlink(1) pg_catalog.pg_function_of_the_future() brin_summarize_new_values('i')
  gin_clean_pending_list('i') binary_upgrade_create_empty_extension() query_to_xml('DELETE',true,true,'')
  ts_stat('DELETE')
  stage.begin_statement('a','b','c','d') stage.resolve_relations('[]') stage_data.source_1()
  set_config('session_authorization','a',true) set_config('Default_Transaction_Read_Only','off',false)
  set_config('transaction_read_only','off',true) pg_catalog.set_config('stage.session','x',false) set_config($1,'a',true)
  set_config('ro'||'le','a',true) set_config('track_counts'::text,'a',true) set_config(E'track_count\\163','a',true)
  set_config(setting_name=>'track_counts',new_value=>'a',is_local=>true) set_config(new_value=>'a',setting_name=>'track_counts',is_local=>true)
  set_config('client_encoding','SJIS',false) set_config('standard_conforming_strings','off',false)`;

/** Calls that are refused in writes. For a read, the catalog decides whether they call the function on the list. */
const suspicious = `
  pg_terminate_backend(1) pg_cancel_backend(1) pg_notify('a','b') PG_Notify('a','b') "pg_notify"('a','b')
  U&"pg\\005fnotify"('a','b') pg_advisory_lock(1) pg_advisory_xact_lock(1,2) pg_try_advisory_lock_shared(1)
  pg_read_file('/x') pg_read_binary_file('/x') pg_ls_dir('/') pg_ls_waldir() pg_stat_file('/x')
  pg_file_write('/x','y',false) pg_create_physical_replication_slot('a') pg_drop_replication_slot('a')
  pg_logical_slot_get_changes('a',null,null) pg_logical_emit_message(false,'a','b') pg_replication_origin_create('a')
  pg_switch_wal() pg_create_restore_point('a') pg_backup_start('a') pg_stop_backup() pg_promote() pg_reload_conf()
  pg_rotate_logfile() pg_stat_reset() pg_stat_reset_shared('io') pg_stat_statements_reset() pg_export_snapshot()
  pg_wal_replay_pause() pg_log_backend_memory_contexts(1) pg_import_system_collations('s')
  pg_restore_relation_stats() pg_clear_attribute_stats() pg_function_of_the_future()
  dblink('x','y') dblink_exec('DELETE') ext.dblink_connect('x') http_post('x') heap_force_kill('t',x)`;

/** Calls that may run in a read, which is READ ONLY, but not in a write. */
const harmfulInWrites = `setval('s',1) cursor_to_xml('c',1,true,true,'') crosstab('DELETE') connectby('t','a','b','1',0)`;

/** Calls that may run anywhere by their names, once the catalog has identified some of them. */
const unclear = `
  pg_prewarm('t') public.pg_prewarm('t') autoprewarm_dump_now() ext.autoprewarm_dump_now() similarity('a','b')
  my_function(1) app.pg_notify('a') app.do_it() app.set_config('role') lo_get(1) public.lower('A')`;

/** Calls that may run anywhere by their names. */
const harmless = `
  now() count(*) lower('A') random() gen_random_uuid() uuidv7() clock_timestamp() nextval('s') currval('s')
  pg_sleep(1) pg_typeof(1) pg_get_viewdef(1) pg_table_is_visible(1) pg_catalog.pg_get_userbyid(1) pg_backend_pid()
  pg_total_relation_size('t') pg_size_pretty(1::bigint) pg_stat_get_numscans(1) pg_is_in_recovery()
  pg_advisory_unlock_all() pg_current_xact_id_if_assigned() pg_stat_statements(true) current_setting('role') set_config('search_path','a',false) set_config('role',$1,true) set_config('my.claims',$1,true)
  set_config('statement_timeout','1',true) json_build_object('a',1) pg_catalog.lower('A') uuid_generate_v4() ext.uuid_generate_v4()`;

suite('sql: functions', (test) => {
  test.before(loadParser);

  for (const call of calls(harmful)) {
    test(`never ${call}`, () => assert.equal(outcome(call), { read: false, write: false }));
  }
  for (const call of calls(suspicious)) {
    test(`not before asking ${call}`, () => {
      assert.equal(outcome(call), { read: 'ask', write: false });
    });
  }
  for (const call of calls(harmfulInWrites)) {
    test(`not in a write ${call}`, () => assert.is(outcome(call).write, false));
  }
  for (const call of calls(unclear)) {
    test(`before asking ${call}`, () => {
      assert.is(outcome(call).read, 'ask');
    });
  }
  for (const call of calls(harmless)) {
    test(`may run ${call}`, () => assert.equal(outcome(call), { read: true, write: true }));
  }

  const hiding = [
    'SELECT 1 FROM pg_notify(1, 2)',
    'SELECT * FROM ROWS FROM (f(1), pg_notify(1, 2))',
    'SELECT 1 FROM a JOIN b ON pg_notify(1, 2)',
    'SELECT 1 WHERE x IN (SELECT 1 ORDER BY pg_notify(1, 2) LIMIT 1)',
    'SELECT sum(a) FILTER (WHERE pg_notify(1, 2)) FROM t',
    'SELECT sum(a) OVER (ORDER BY pg_notify(1, 2)) FROM t',
    'SELECT sum(a) OVER w FROM t WINDOW w AS (PARTITION BY pg_notify(1, 2))',
    'SELECT 1 LIMIT pg_notify(1, 2)',
    'SELECT 1 OFFSET pg_notify(1, 2)',
    'SELECT a FROM t GROUP BY CUBE (pg_notify(1, 2)) HAVING true',
    'SELECT DISTINCT ON (pg_notify(1, 2)) 1',
    'SELECT f(a, VARIADIC ARRAY[pg_notify(1, 2)])',
    'SELECT f(a => (pg_notify(1, 2)).x)',
    'SELECT (CASE WHEN a THEN pg_notify(1, 2) END)::text COLLATE "C"',
    'SELECT * FROM t TABLESAMPLE system (pg_notify(1, 2))',
    'SELECT a[pg_notify(1, 2):3]',
    'SELECT xmlelement(name a, pg_notify(1, 2))',
    "SELECT JSON_OBJECT('a': pg_notify(1, 2))",
    "SELECT JSON_VALUE(x, '$' PASSING pg_notify(1, 2) AS y)",
    "SELECT * FROM JSON_TABLE(pg_notify(1, 2), '$' COLUMNS (a int))",
    'SELECT GREATEST(1, COALESCE(NULL, pg_notify(1, 2)))',
    'SELECT percentile_cont(pg_notify(1, 2)) WITHIN GROUP (ORDER BY a) FROM t',
    'VALUES (pg_notify(1, 2))',
    'WITH a AS (SELECT pg_notify(1, 2)) SELECT 1',
    'COPY (SELECT pg_notify(1, 2)) TO STDOUT',
    'EXPLAIN ANALYZE SELECT pg_notify(1, 2)',
    'DECLARE c CURSOR FOR SELECT pg_notify(1, 2)',
    'PREPARE p AS SELECT pg_notify(1, 2)',
    'INSERT INTO t VALUES (pg_notify(1, 2))',
    'INSERT INTO t SELECT 1 RETURNING pg_notify(1, 2)',
    'INSERT INTO t (a[pg_notify(1, 2)]) VALUES (1)',
    'UPDATE t SET a = pg_notify(1, 2)',
    'UPDATE t SET (a, b) = ROW (1, pg_notify(1, 2))',
    'UPDATE t SET (a, b) = (SELECT 1, pg_notify(1, 2))',
    'DELETE FROM t WHERE pg_notify(1, 2)',
  ];
  for (const sql of hiding) {
    test(`sees the call in ${sql}`, () => {
      const query = queryIn(verdictOf(sql));
      const refused = refusedFunctions(query.functions, 'write', []);
      assert.is(refused?.name, 'pg_notify');
      assert.ok(query.unclear.some(({ name }) => name === 'pg_notify'));
    });
  }

  test('lets the configuration allow functions, but not those the service relies on', () => {
    const run = (call: string, allowed: string[]) =>
      refusedFunctions(functionsOf(call), 'read', allowed) === null;
    const runsInWrite = (call: string, allowed: string[]) =>
      refusedFunctions(functionsOf(call), 'write', allowed) === null;
    assert.ok(run("lo_create('a','b')", ['lo_create']));
    assert.ok(run("pg_catalog.pg_notify('a','b')", ['pg_notify']));
    assert.ok(runsInWrite("ext.dblink('a')", ['ext.dblink']));
    assert.ok(runsInWrite("dblink('a')", ['ext.dblink']));
    assert.not(runsInWrite("other.dblink('a')", ['ext.dblink']));
    assert.not(run("set_config('track_counts','a',false)", ['set_config']));
    assert.not(run("stage.begin_statement('a')", ['stage.begin_statement', 'enter']));
    assert.ok(isAllowedFunction({ schema: 'app', name: 'f' }, ['app.f']));
    assert.not(isAllowedFunction({ schema: 'app', name: 'f' }, ['b.f', 'app.g']));
  });

  test('advises to list only functions that a list can allow, and says what that means', () => {
    const hint = (schema: string | null, name: string) => functionRefusal({ schema, name }).hint;
    assert.match(hint(null, 'setval'), /allow_functions; .* at once, before any approval/);
    assert.not.match(hint('stage', 'begin_statement'), 'allow_functions');
  });

  test('knows which volatile functions write nothing', () => {
    assert.ok(isStageableVolatile('pg_catalog', 'random'));
    assert.ok(isStageableVolatile('pg_catalog', 'nextval'));
    assert.ok(isStageableVolatile('public', 'uuid_generate_v4'));
    assert.not(isStageableVolatile('public', 'random'));
    assert.not(isStageableVolatile('pg_catalog', 'query_to_xml'));
    assert.not(isStageableVolatile('app', 'do_it'));
  });

  test('knows what READ ONLY does not hold', () => {
    const builtin = {
      schema: 'pg_catalog',
      isVolatile: true,
      isImmutable: false,
      isCompiled: true,
      isExtension: false,
    };
    const extension = { ...builtin, schema: 'ext', isExtension: true };
    const sql = { ...extension, isCompiled: false };
    const has = (found: Omit<FoundFunction, 'name'>, name: string, context: FunctionContext) =>
      hasEffects({ ...found, name }, context);
    assert.ok(has(builtin, 'pg_notify', 'read'));
    assert.ok(has(builtin, 'lo_create', 'read'));
    assert.not(has(builtin, 'lo_get', 'read'));
    assert.not(has(builtin, 'setval', 'read'));
    assert.ok(has(builtin, 'setval', 'write'));
    assert.ok(has({ ...extension, schema: 'pg_catalog' }, 'create_distributed_table', 'read'));
    assert.ok(has(extension, 'pg_prewarm', 'read'));
    assert.ok(has(extension, 'any_name', 'read'));
    assert.ok(has({ ...extension, isExtension: false }, 'any_name', 'read'));
    assert.not(has({ ...extension, isVolatile: false }, 'any_name', 'read'));
    assert.not(has(extension, 'pg_stat_statements', 'read'));
    assert.not(has(extension, 'uuid_generate_v4', 'read'));
    assert.ok(has({ ...extension, isVolatile: false }, 'dblink_get_pkey', 'read'));
    assert.ok(has(sql, 'http_get', 'read'));
    assert.not(has(sql, 'any_name', 'read'));
    assert.ok(has({ ...extension, isVolatile: false }, 'crosstab', 'write'));
    assert.ok(has({ ...extension, isVolatile: false }, 'crosstab', 'read'));
    assert.not(has(builtin, 'table_to_xml', 'read'));
    assert.ok(has(builtin, 'table_to_xml', 'write'));
    assert.ok(has({ ...builtin, isVolatile: false }, 'of_the_future', 'read'));
    assert.not(has({ ...builtin, isVolatile: false, isImmutable: true }, 'of_the_future', 'read'));
    const own = { ...sql, isExtension: false };
    for (const name of ['pg_notify', 'http_get', 'dblink', 'pg_prewarm'])
      assert.not(has(own, name, 'read'), name);
    assert.ok(has({ ...own, schema: 'stage' }, 'enter', 'read'));
  });

  const unclearNames: Readonly<Record<string, readonly string[]>> = {
    'SELECT (x).f, (y).lower, t.a, t.g FROM t': ['field f'],
    'SELECT t.lo_create, t.pg_id, t.http, t.pg_size_pretty FROM t': [
      'field http',
      'field lo_create',
      'field pg_id',
    ],
    'SELECT (ARRAY[x])[1].f.g': ['field f', 'field g'],
    'SELECT s.t.f, d.s.t.lo_unlink, f.* FROM s.t': ['field lo_unlink'],
    'SELECT g.a, t.b FROM unnest(ARRAY[1]) g, t': ['field a'],
    'SELECT g.a, g.b FROM unnest(ARRAY[1]) g(b)': ['field a'],
    'SELECT g.a, g.b FROM json_to_record(j) g(b int)': ['field a'],
    'SELECT unnest.a FROM pg_catalog.unnest(ARRAY[1])': ['field a'],
    'SELECT int4.a, t.b FROM CAST(1 AS int4)': ['field a', 'field b'],
    'SELECT 1 FROM t WHERE (SELECT (SELECT t.b FROM unnest(t.c) t) = 1)': ['field b', 'field c'],
    'EXECUTE p((x).f, lo_get(1), g.a)': ['field f', 'function lo_get'],
    'DECLARE c CURSOR FOR SELECT (x).f': ['field f'],
    'PREPARE p AS SELECT (x).f': ['field f'],
    'COPY (SELECT (x).f) TO STDOUT': ['field f'],
    'EXPLAIN ANALYZE SELECT (x).f': ['field f'],
    'EXPLAIN DELETE FROM t WHERE (x).f': ['field f'],
    'EXPLAIN EXECUTE p((x).f)': ['field f'],
    'SELECT a.b, count(*), now() FROM t a JOIN s.u ON a.x = u.y ORDER BY a.b': [],
  };
  for (const [sql, names] of Object.entries(unclearNames)) {
    test(`asks about ${names.join(', ') || 'nothing'} in ${sql}`, () => {
      const verdict = verdictOf(sql);
      const isExecute = verdict.kind === 'control' && verdict.action.type === 'execute';
      const { unclear } = isExecute ? verdict.action : queryIn(verdict);
      const asked = unclear.filter(({ unlessMade }) => !unlessMade);
      assert.equal(asked.map(({ kind, name }) => `${kind} ${name}`).sort(), names);
    });
  }

  test('tells when names resolve differently from now on', () => {
    assert.ok(changesPath(functionsOf("set_config('Search_Path', $1, false)")));
    assert.ok(changesPath(functionsOf('set_config($1, $2, false)')));
    assert.not(changesPath(functionsOf("set_config('my.setting', 'search_path', false)")));
  });

  test('words the refusal', () => {
    assert.match(
      functionRefusal({ schema: null, name: 'pg_notify' }).message,
      /^function pg_notify\(\)/,
    );
    assert.match(functionRefusal({ schema: 'a', name: 'f' }).message, /^function a\.f\(\)/);
    assert.match(
      functionRefusal({ schema: null, name: 'set_config', setting: 'track_counts' }).message,
      /"track_counts"/,
    );
    assert.match(functionRefusal({ schema: null, name: 'set_config' }).message, /computed/);
  });

  test('sees calls that only older servers take for calls', () => {
    const names = functionsOf("JSON_VALUE(j, '$'), JSON_SCALAR(1), JSON_OBJECT('a': 1)").map(
      ({ name }) => name,
    );
    for (const name of ['json_value', 'json_scalar', 'json_object'])
      assert.ok(names.includes(name), name);
  });
});

function calls(list: string): string[] {
  return list.trim().split(/\s+/);
}

function functionsOf(expression: string) {
  return queryIn(verdictOf(`SELECT ${expression}`)).functions;
}

/** Returns whether an expression is allowed in a read and in a write, by names alone. */
function outcome(expression: string): Record<FunctionContext, boolean | 'ask'> {
  const mayRun = (context: FunctionContext) =>
    refusedFunctions(functionsOf(expression), context, []) === null;
  const { unclear } = queryIn(verdictOf(`SELECT ${expression}`));
  const isUnclear = unclear.some(({ unlessMade }) => !unlessMade);
  const read = mayRun('read') && isUnclear ? 'ask' : mayRun('read');
  return { read, write: mayRun('write') };
}
