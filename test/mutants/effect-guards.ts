/** The guards of rows that production's triggers write while rows are staged. */
import type { Guard } from './guard.ts';

const tests = ['proxy/writing-triggers'];

export const effectGuards: readonly Guard[] = [
  {
    name: 'what triggers write runs user code under the tripwire',
    without: '',
    tests: ['proxy/written-code'],
  },
  {
    name: 'a row that a trigger inserted is not changed if production may give it another key',
    without: '',
    tests,
  },
  {
    name: 'a row whose key approval draws anew is not changed',
    without: '',
    tests: ['proxy/changed-effects'],
  },
  {
    name: 'a row of a trigger that the client changed is in conflict with another one under its key',
    lines: 2,
    without: "AND i._stage_origin <> 'trigger'",
    tests: ['proxy/changed-effects'],
  },
  {
    name: 'a row that the client changed, too, is one of the session',
    without:
      'AND NOT EXISTS (SELECT FROM stage_data.shadow_%1$s s WHERE s._stage_session = $1 AND s._stage_seq = e.root AND false)',
    tests: ['proxy/updated-rows'],
  },
  {
    name: 'a row that only triggers changed is in no conflict',
    without: '',
    tests: ['proxy/updated-rows'],
  },
  {
    name: 'a value that the client restores after a trigger is a change of the client',
    without:
      "const differs = ['NOT', same(value, 'b.' + name), 'AND (', isFirst, 'OR NOT', same(value, 't.' + name), ')'].join(' ');",
    tests: ['proxy/updated-rows'],
  },
  {
    name: 'triggers that fire for rows of triggers are current, too',
    without: 'RETURN true;',
    tests: ['proxy/updating-triggers'],
  },
  {
    name: "the condition of a trigger counts as many triggers as production's",
    without: 'return text.toString();',
    tests: ['proxy/updating-triggers'],
  },
  {
    name: 'a row of a trigger is chosen with the row that caused it',
    without:
      'SELECT e.relation, e.root, e.cause_relation, e.cause FROM unnest(ARRAY[]::oid[], ARRAY[]::bigint[]) AS c (relation, root)',
    tests,
  },
  {
    name: 'the row that made a trigger write another one is chosen with that',
    without:
      'SELECT e.cause_relation, e.cause, e.relation, e.root FROM unnest(ARRAY[]::oid[], ARRAY[]::bigint[]) AS c (relation, root)',
    tests,
  },
  {
    name: "a trigger writes with the client's rights: no statement names the columns that it sets",
    without:
      "v_granted := CASE v_operation WHEN 'DELETE' THEN has_table_privilege(v_table, 'DELETE')",
    tests,
  },
  {
    name: 'triggers of an action write nothing that the owner of the table may not',
    without: 'WHERE false LIMIT 1;',
    tests: ['proxy/action-triggers-rights'],
  },
  {
    name: 'a row of a trigger is no step: approval and scripts leave it to the trigger in production',
    without:
      "' WHERE s._stage_session = %L AND s._stage_origin <> ''overlay''', o.relation, p_session), ' UNION ALL '),",
    tests,
  },
  {
    name: 'a row that only a trigger wrote is in no conflict: the trigger in production writes it under the key that is free then',
    lines: 2,
    without: '',
    tests,
  },
  {
    name: 'a revert stages the former rows, whatever triggers make of them',
    without: '',
    tests: ['review/revert-triggers'],
  },
  {
    name: 'a revert fires the triggers of the columns that it brings back, and no others',
    without:
      'SELECT NULL INTO v_columns FROM stage.audit a CROSS JOIN LATERAL jsonb_object_keys(a.old_data) AS k (name)',
    tests: ['review/revert-triggers'],
  },
  {
    name: 'rows that triggers write for a revert are not part of the inverse',
    without: '',
    tests: ['review/revert-triggers'],
  },
  { name: 'a trigger writes to no table where more would follow from it', without: '', tests },
  {
    name: 'a trigger changes no rows at approval that policies hide from the client',
    without: '',
    lines: 2,
    tests: ['proxy/policies-of-code'],
  },
  {
    name: 'a trigger that is not followed may be once the table that it writes to changes',
    without: '',
    tests,
  },
  { name: "a trigger's OVERRIDING and MERGE are not lost", without: '', tests },
  {
    name: 'a row that a trigger wrote while staging does not count as a row that fails to land',
    without: "'', p_relation);",
    tests,
  },
  {
    name: 'a row that a trigger wrote while staging does not count as a row that fails to land in a large table',
    without: ')',
    tests,
  },
  { name: 'the record of a row of a trigger is moved with the row', without: '', tests },
  {
    name: 'only a trigger that fires while staging writes rows, for rows of its session and to the tables that its body names',
    without: 'IF false AND NOT EXISTS (',
    tests: ['proxy/trigger-effects'],
  },
  {
    name: 'rows of triggers that changed since are not taken for rows that production writes',
    without: "FILTER (WHERE false), '[]')",
    tests: ['proxy/trigger-effects'],
  },
  {
    name: 'the policies of a table count where they apply to the owner of the code',
    without: 'return row === undefined ? table : { ...table, policies: null };',
    tests: ['proxy/owner-policies'],
  },
  {
    name: "triggers see the rows of actions as production's own actions leave them",
    without: "SELECT a.*, coalesce(m.operation = 'DELETE', false) AS is_applied",
    tests: ['proxy/cascade-order'],
  },
  {
    name: 'rows of triggers that production does not write are not taken for rows that it writes',
    without: 'v_roots := NULL;',
    tests: ['proxy/numbered-keys'],
  },
  {
    name: 'other rows of the session refer to the key under which a row was staged',
    without: '',
    tests: ['proxy/numbered-keys'],
  },
  {
    name: 'tables are connected by the rows that triggers wrote, too',
    without: 'SELECT e.cause_relation, e.relation FROM stage.effect e WHERE false',
    tests: ['proxy/trigger-effects'],
  },
  {
    name: 'a table that triggers may write to gets its own triggers before others stage in it',
    without: 'if (isCarried)',
    tests: ['proxy/trigger-effects'],
  },
  {
    name: 'triggers of an action draw from no sequence that the owner of the table may not',
    without: 'WHERE false LIMIT 1;',
    tests: ['proxy/action-triggers-rights'],
  },
  {
    name: 'the right to draw from a sequence is checked by its name',
    without: 'if (sequence === undefined) continue;',
    tests: ['proxy/action-triggers-rights'],
  },
  {
    name: 'no definition of a table sets a setting',
    without: '',
    tests: ['attacks/unseen-settings'],
  },
  {
    name: 'calls of views and aggregates set no setting',
    without: 'const setsUnseen = (each: Candidate) => false &&',
    tests: ['attacks/unseen-settings'],
  },
  {
    name: 'a trigger that writes for TRUNCATE does not fire while staging: it does not fire at approval, which deletes the rows',
    without: '',
    tests: ['proxy/truncate-triggers'],
  },
  {
    name: 'TRUNCATE deletes the rows and fires the triggers of tables as they are now',
    without: 'IF false THEN',
    tests: ['proxy/truncate-triggers'],
  },
  {
    name: 'a STATEMENT trigger that writes fires for a statement with rows only',
    without: '',
    tests: ['proxy/statement-triggers'],
  },
  {
    name: 'a trigger whose statements are actions of foreign keys, too, is left to approval',
    without: 'return null;',
    tests: ['proxy/statement-triggers'],
  },
  {
    name: 'a transition table is not taken for the table whose name it has',
    without: '',
    tests: ['proxy/statement-triggers'],
  },
  {
    name: 'nobody outside a session locks the table of a compiled trigger',
    without: '  IF false THEN',
    tests: ['proxy/compiled-triggers'],
  },
  {
    name: 'a search vector is computed for updates of its columns only',
    without: 'condition: `true`,',
    tests: ['proxy/compiled-triggers'],
  },
  {
    name: 'approval sets no setting of the server, of an extension or of the service',
    without: '',
    tests: ['proxy/settings-of-requests'],
  },
  {
    name: 'a log that was tampered with sets nothing of the server, of an extension or of the service',
    without: '  WHERE true',
    tests: ['proxy/settings-of-requests'],
  },
  {
    name: 'settings of a session do not stay on a connection',
    without: '',
    tests: ['proxy/settings-of-requests'],
  },
];
