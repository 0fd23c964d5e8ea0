/** The guards between a client's statement and production. */
import type { Guard } from './guard.ts';

export const statementGuards: readonly Guard[] = [
  {
    name: 'the service does not wait for a lock of the client that waits for it',
    without: '',
    tests: ['proxy/replaced-tables'],
  },
  {
    name: 'reads in transactions that may write are made read-only',
    without: 'return;',
    tests: ['proxy/read-only.test'],
  },
  {
    name: 'SERIALIZABLE transactions read tables through overlays',
    without: '',
    tests: ['proxy/cold-tables'],
  },
  {
    name: 'what is sent ahead is READ ONLY whatever the statements before it have set',
    without: '',
    tests: ['proxy/read-only.test'],
  },
  {
    name: 'before COMMIT the database looks for what was written elsewhere',
    without: '',
    tests: ['proxy/code-left-behind'],
  },
  {
    name: 'a pinned setting that was changed is set back',
    without: 'return false;',
    tests: ['proxy/read-only.test'],
  },
  {
    name: 'statements are prepared anew when a read may have replaced them',
    without: "if (isSame && (statement.body.kind === 'read' || true)) return;",
    tests: ['proxy/code-left-behind'],
  },
  {
    name: 'a statement of ours is prepared anew when code may have replaced it',
    without: 'if (place.moment === null) {',
    tests: ['proxy/cached-statements'],
  },
  {
    name: 'nothing stays prepared that is prepared while watched code may run',
    without:
      'if (this.isTripwireSet && !this.isTripwireSet) this.execute(statement, portal, call);',
    tests: ['proxy/cached-statements'],
  },
  {
    name: 'nothing stays prepared that a domain of a parameter may have replaced',
    without: '',
    tests: ['proxy/cached-statements'],
  },
  {
    name: 'nothing of ours counts as prepared after a command that may have dropped it',
    without: 'if (!leaves && leaves) internal.forgetCached();',
    tests: ['proxy/cached-statements'],
  },
  {
    name: 'a question is asked where nothing can be written',
    without: '',
    tests: ['proxy/cached-validations'],
  },
  {
    name: 'a portal that a read may have replaced is not run as a write',
    without: 'const isReplaceable = false;',
    tests: ['proxy/code-left-behind'],
  },
  {
    name: 'volatile functions are refused in staged writes',
    without: 'if (harmful && false) throw refusalError(functionRefusal(harmful));',
    tests: ['proxy/refusals'],
  },
  {
    name: 'functions with effects are refused in reads',
    without: 'return false;',
    tests: ['sql/functions'],
  },
  {
    name: 'what runs user code is watched',
    without: 'return rewrite;',
    tests: ['attacks/as-superuser'],
  },
  {
    name: 'the end of what is watched is looked at whatever became of the settings',
    without: 'return;',
    tests: ['attacks/tripwire'],
  },
  {
    name: 'what is planned and never executed is looked at as well',
    without: '',
    tests: ['attacks/tripwire'],
  },
  {
    name: 'nobody but the proxy seals what was counted',
    without:
      "IF false AND v_seal IS DISTINCT FROM concat_ws(' ', v_writes, stage.seal(p_nonce, v_writes)) OR current_setting('session_replication_role') = 'replica' THEN",
    tests: ['attacks/tripwire'],
  },
  {
    name: 'what a query calls while its rows are locked is watched',
    without: '',
    tests: ['attacks/tripwire'],
  },
  {
    name: 'rows are locked by no query that calls volatile code',
    without: 'const runsCode = false;',
    tests: ['attacks/tripwire'],
  },
  {
    name: 'the tripwire sees inserted rows',
    without: 'IF false THEN',
    tests: ['attacks/as-superuser'],
  },
  {
    name: 'names are not resolved where writing is possible',
    without: '',
    tests: ['attacks/as-superuser'],
  },
  {
    name: 'no schema may stand before pg_catalog',
    without: '',
    tests: ['proxy/refusals'],
  },
  {
    name: 'relations are what they were taken for',
    without: `RAISE NOTICE 'the definition of relation "%" changed', v_entry OPERATOR(pg_catalog.->>) 'name'`,
    tests: ['proxy/changes-under-way'],
  },
  {
    name: 'a session that is no longer active takes no writes',
    without: 'IF false THEN',
    tests: ['review/races', 'e2e/lifecycle'],
  },
  {
    name: 'names of the service are refused',
    without: "const isInternal = (name: string) => name === '';",
    tests: ['proxy/refusals', 'proxy/read-only'],
  },
  {
    name: 'names that PostgreSQL would cut are refused',
    without: 'if (bytes >= 0) return null;',
    tests: ['attacks/cut-names'],
  },
  {
    name: 'names that the parser has cut are refused',
    without: 'return verdict;',
    tests: ['sql/object-names'],
  },
  {
    name: 'an element of the grammar that nobody knows is refused',
    without: 'else if (!leafQueryNodes.has(opened.type)) visitFields(walk, opened.fields, scope);',
    tests: ['sql/'],
  },
  {
    name: 'approval compares the digest',
    without: 'if (digest === current && digest === null) throw digestMismatch(current);',
    tests: ['review/approve', 'rest/review'],
  },
  {
    name: 'BEGIN is followed with the access it was sent with',
    without: "state.begin('client', 'read only');",
    tests: ['proxy/read-only'],
  },
  {
    name: 'what a literal decides is not taken from another text',
    without: 'return verdict.isQuery === true;',
    tests: ['proxy/query-planner'],
  },
  {
    name: 'what a literal decides outside of queries is not taken from another text',
    without: "return !verdict.functions.some(({ name }) => name === 'set_config');",
    tests: ['proxy/query-planner'],
  },
  {
    name: 'what a parameter names is set only where a client may set it',
    without: "const refused = refusedFunctions([], 'read', []);",
    tests: ['proxy/named-settings'],
  },
  {
    name: 'a value that becomes another one on its way names no setting',
    without: 'const value = values[parameter - 1];',
    tests: ['proxy/named-settings'],
  },
  {
    name: 'another statement may have got the name since its EXECUTE was bound',
    without: 'if (execution !== null && context.state.failed)',
    tests: ['proxy/named-settings'],
  },
  {
    name: 'no literal is taken out of what it gives a meaning',
    without: '',
    tests: ['sql/shape'],
  },
  {
    name: 'no write is sent as the client wrote it',
    without: 'if (target !== null && !isReplaced && false)',
    tests: ['proxy/upstream-text'],
  },
  {
    name: 'no read is sent where writing is possible',
    without: "if (kind === 'read' && this.state.exposesReads && false)",
    tests: ['proxy/upstream-text'],
  },
  {
    name: 'no text is sent that was not checked',
    without: 'if (false)',
    tests: ['proxy/upstream-text'],
  },
  {
    name: 'what a text is read by is set before it, where code may have changed it',
    without: '',
    tests: ['proxy/upstream-text'],
  },
  {
    name: 'the locks of a transaction are looked at before COMMIT',
    without: 'WHERE false',
    tests: ['staging/commit-check'],
  },
  {
    name: 'what a transaction has written to the catalogs is looked at before COMMIT',
    without: 'v_writes := 0;',
    tests: ['staging/commit-check'],
  },
  {
    name: 'COMMIT cannot write what was not looked at',
    without: '',
    tests: ['staging/commit-check'],
  },
  {
    name: 'a plan remembers no stamp of an older snapshot',
    without: 'LANGUAGE plpgsql STABLE AS $$',
    tests: ['staging/stamps'],
  },
  {
    name: 'a transaction that keeps its snapshot sees the stamp of that',
    without:
      "IF pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.=) 'never' THEN RETURN stage.table_stamp('{{oid}}'); END IF;",
    tests: ['staging/stamps'],
  },
  {
    name: 'the plan with a stamp depends on the tables on the other side of foreign keys',
    without: 'WHERE false AND t.tgconstrrelid NOT IN (0, p_relation) ORDER BY 1))',
    tests: ['staging/stamps'],
  },
  {
    name: 'a transaction under way hears of changes before it remembers a stamp',
    without: 'v_size bigint := 0;',
    tests: ['staging/stamps'],
  },
  {
    name: 'of a table with children no stamp is remembered',
    without:
      "'stamp', CASE WHEN c.relkind OPERATOR(pg_catalog.=) 'r' AND NOT c.relispartition  AND o.relation OPERATOR(pg_catalog.=) c.oid THEN (",
    tests: ['staging/stamps'],
  },
  {
    name: 'what is left of a partition that has become a table is not taken for what stands for it',
    without: 'WHERE c.oid OPERATOR(pg_catalog.=) p_relation );',
    tests: ['proxy/views'],
  },
  {
    name: 'rows of a parent cover a period together',
    without: `if (true) return \`NOT EXISTS (SELECT 1 \${rows})\`;`,
    tests: ['proxy/periods'],
  },
  {
    name: 'what others have learned holds on this connection, or is asked for',
    without: '',
    tests: ['proxy/learned-names'],
  },
  {
    name: 'what an old snapshot shows teaches nobody else',
    without: 'learn(String(row?.[0]), keyOf(name), meaning);',
    tests: ['proxy/learned-names'],
  },
  {
    name: 'what is known of a search path that may have changed is not used',
    without: '',
    tests: ['proxy/learned-names'],
  },
  {
    name: 'what an old snapshot shows of calls teaches nobody else',
    without: `learn(\`\${user}\\0\${context}\`, called, candidates);`,
    tests: ['proxy/learned-names'],
  },
  {
    name: 'what users have made of a name is asked about on each connection',
    without: "if (called.kind === 'relation') return false;",
    tests: ['proxy/learned-names'],
  },
  {
    name: 'what was put aside in the session itself is asked about',
    without: '',
    tests: ['proxy/learned-names'],
  },
];
