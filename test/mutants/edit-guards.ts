/** The guards around the removal of staged rows from a session. */
import type { Guard } from './guard.ts';

export const editGuards: readonly Guard[] = [
  {
    name: 'dependent rows are unstaged with their rows, or nothing is',
    without: 'if (dependents.length > 9_999 && !asked.withDependents)',
    tests: ['review/unstage', 'rest/unstage'],
  },
  {
    name: 'rows of foreign key actions are chosen with the row that caused them',
    without: 'return [dependents];',
    tests: ['review/unstage'],
  },
  {
    name: 'a restored value unstages the row that has it now',
    without: '...uniqueDependents(table).slice(9),',
    tests: ['review/unstage'],
  },
  {
    name: 'a covered version is the newest again once the covering one is unstaged',
    without: 'UPDATE {{shadow}} s SET _stage_head = false',
    tests: ['review/unstage'],
  },
  {
    name: 'a statement does not build on rows that were unstaged meanwhile',
    without:
      "IF v_edited IS NULL AND NOT pg_visible_in_snapshot(v_edited, coalesce(nullif(current_setting('stage.statement_snapshot', true), ''), '1:1:')::pg_snapshot) THEN",
    tests: ['review/unstage'],
  },
  {
    name: 'who takes rows out has a part in the session',
    without: 'THEN earlier_authors ELSE earlier_authors END',
    tests: ['rest/unstage'],
  },
  {
    name: 'rows of hidden tables cannot be named',
    without: '',
    tests: ['rest/unstage'],
  },
  {
    name: 'dependents in hidden tables are not named',
    without: 'if (hidden) return { table, rowId, type, isDependent, hidden };',
    tests: ['rest/unstage'],
  },
  {
    name: 'production accepts the rest of a session if it would have accepted all',
    without:
      'if ((await attempt(db, tx, uuid, trialMs)) === undefined) throw refused(refusal, readableOnly);',
    tests: ['review/unstage-trial'],
  },
  {
    name: 'a column of a key always counts',
    without: 'const ignorable = fixed.size > 0;',
    tests: ['review/ignored-columns'],
  },
  {
    name: 'a row that is gone always counts',
    without: '',
    tests: ['review/ignored-columns'],
  },
  {
    name: 'nothing is settled that the caller saw differently',
    without: 'return;',
    tests: ['review/resolve', 'rest/resolve'],
  },
  {
    name: 'conflicts of hidden tables are not settled',
    without: 'const visible = found.filter(({ hidden }) => hidden !== null);',
    tests: ['rest/resolve'],
  },
  {
    name: 'a settled conflict is none any more',
    without: `base: \`CASE WHEN \${literal} = ANY (p_theirs) OR \${literal} = ANY (p_mine) AND \${first} IS NULL THEN (v_now).\${column} ELSE (s._stage_base).\${column} END\`,`,
    tests: ['review/resolve'],
  },
  {
    name: 'a row that the session has moved is not begun anew',
    without: 'is_possible := true;',
    tests: ['review/resolve'],
  },
  {
    name: 'a settled row without a change is unstaged',
    without: 'return null;',
    tests: ['review/resolve', 'e2e/resolve-random'],
  },
  {
    name: 'a rehearsal locks the rows before it reads staged rows',
    lines: 2,
    without: `const digest = await digestOf(tx, session.uuid);
const { shown: conflicts, rows } = await findConflicts(tx, session, rules, refuse);`,
    tests: ['review/rehearse-limits'],
  },
];
