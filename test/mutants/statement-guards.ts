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
    name: 'a message that is sent ahead is READ ONLY whatever the statements before it have set',
    without: '',
    tests: ['proxy/replaced-code'],
  },
  {
    name: 'the database checks for writes elsewhere before COMMIT',
    without: '',
    tests: ['proxy/code-left-behind'],
  },
  {
    name: 'a pinned setting that was changed is set back',
    without: 'return false;',
    tests: ['proxy/replaced-code'],
  },
  {
    name: 'statements are prepared anew when a read may have replaced them',
    without: "if (isSame && (statement.body.kind === 'read' || true)) return;",
    tests: ['proxy/code-left-behind'],
  },
  {
    name: 'an internal statement is prepared again when code may have replaced it',
    without: 'if (place.moment === null) {',
    tests: ['proxy/cached-statements'],
  },
  {
    name: 'no statement stays prepared that is prepared while code of users may run',
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
    name: 'no internal statement counts as prepared after a command that may have dropped it',
    without: 'if (!leaves && leaves) internal.forgetCached();',
    tests: ['proxy/cached-statements'],
  },
  {
    name: 'an internal query that may write is READ ONLY',
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
    name: 'statements that run user code are under the tripwire',
    without: 'return rewrite;',
    tests: ['attacks/tripwire'],
  },
  {
    name: 'the end of the tripwire is checked whatever became of its settings',
    without: 'return;',
    tests: ['attacks/tripwire'],
  },
  {
    name: 'a statement that is planned and never executed is checked as well',
    without: '',
    tests: ['attacks/tripwire'],
  },
  {
    name: 'nobody but the proxy seals the counted writes',
    without:
      "IF false AND v_seal IS DISTINCT FROM concat_ws(' ', v_writes, stage.seal(p_nonce, v_writes)) OR current_setting('session_replication_role') = 'replica' THEN",
    tests: ['attacks/tripwire'],
  },
  {
    name: 'calls of a query are under the tripwire while its rows are locked',
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
    tests: ['attacks/own-schemas'],
  },
  {
    name: 'names are not resolved where writing is possible',
    without: '',
    tests: ['proxy/replaced-code'],
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
    name: 'an unknown element of the grammar is refused',
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
    name: 'a plan that depends on a literal of a query is not used for another text',
    without: 'return verdict.isQuery === true;',
    tests: ['proxy/query-planner'],
  },
  {
    name: 'a plan that depends on a literal outside of queries is not used for another text',
    without: "return !verdict.functions.some(({ name }) => name === 'set_config');",
    tests: ['proxy/query-planner'],
  },
  {
    name: 'a setting that a parameter names is set only if a client may set it',
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
    name: 'no literal is taken out of a Unicode escape',
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
    name: 'settings that a text depends on are set before it where code may have changed them',
    without: '',
    tests: ['proxy/upstream-text'],
  },
  {
    name: 'the locks of a transaction are checked before COMMIT',
    without: 'WHERE false',
    tests: ['staging/commit-check'],
  },
  {
    name: 'catalog writes of a transaction are checked before COMMIT',
    without: 'v_writes := 0;',
    tests: ['staging/commit-check'],
  },
  {
    name: 'COMMIT cannot write anything that the commit check has not seen',
    without: '',
    tests: ['staging/commit-check'],
  },
  {
    name: 'a plan remembers no stamp of an older snapshot',
    without: 'LANGUAGE plpgsql STABLE AS $$',
    tests: ['staging/stamps'],
  },
  {
    name: 'a transaction with one snapshot sees the stamp of that snapshot',
    without:
      "IF pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.=) 'never' THEN RETURN stage.table_stamp('{{oid}}'); END IF;",
    tests: ['staging/stamps'],
  },
  {
    name: 'the plan with a stamp depends on the tables on the other side of foreign keys',
    without: 'WHERE false AND o.relation NOT IN (0, p_relation) ORDER BY 1)',
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
      "IF v_is_own AND v_class.relkind OPERATOR(pg_catalog.=) 'r' AND NOT v_class.relispartition THEN",
    tests: ['staging/stamps'],
  },
  {
    name: 'the former view of a partition that is a table by now is not used',
    without: 'WHERE c.oid OPERATOR(pg_catalog.=) p_relation );',
    tests: ['proxy/views'],
  },
  {
    name: 'rows of a parent cover a period together',
    without: `if (true) return \`NOT EXISTS (SELECT 1 \${rows})\`;`,
    tests: ['proxy/periods'],
  },
  {
    name: 'names that another connection has resolved are valid on this one, or are resolved again',
    without: '',
    tests: ['proxy/learned-names'],
  },
  {
    name: 'names that an old snapshot shows are not shared',
    without: 'learn(String(row?.[0]), keyOf(name), meaning);',
    tests: ['proxy/learned-names'],
  },
  {
    name: 'facts of a search path that may have changed are not used',
    without: '',
    tests: ['proxy/learned-names'],
  },
  {
    name: 'calls that an old snapshot shows are not shared',
    without: `learn(\`\${user}\\0\${context}\`, called, candidates);`,
    tests: ['proxy/learned-names'],
  },
  {
    name: 'functions that users have made under a name are resolved on each connection',
    without: "if (called.kind === 'relation') return false;",
    tests: ['proxy/learned-names'],
  },
  {
    name: 'names of tables with orphaned rows are resolved again',
    without: '',
    tests: ['proxy/learned-names'],
  },
];
