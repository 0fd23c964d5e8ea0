/** The guards of what takes staged rows out of a session. */
import type { Guard } from './guard.ts';

export const editGuards: readonly Guard[] = [
  {
    name: 'what hangs on rows that are taken out goes with them, or nothing does',
    file: 'src/review/unstage.ts',
    text: 'if (tied.length > 0 && !asked.withDependents)',
    without: 'if (tied.length > 9_999 && !asked.withDependents)',
    tests: ['review/unstage', 'rest/unstage'],
  },
  {
    name: 'what foreign keys did goes with what caused it',
    file: 'src/overlay/approval/lineages.ts',
    text: 'return [ties, actions];',
    without: 'return [ties];',
    tests: ['review/unstage'],
  },
  {
    name: 'a value that comes back takes out whoever has it',
    file: 'src/overlay/approval/lineages.ts',
    text: '...uniqueTies(table),',
    without: '...uniqueTies(table).slice(9),',
    tests: ['review/unstage'],
  },
  {
    name: 'a version that was covered is the newest again where what covered it is taken out',
    file: 'templates/sql/table/approval/lineages.sql',
    text: 'UPDATE {{shadow}} s SET _stage_head = true',
    without: 'UPDATE {{shadow}} s SET _stage_head = false',
    tests: ['review/unstage'],
  },
  {
    name: 'a statement does not stage upon rows that were taken out under it',
    file: 'templates/sql/functions/before_statement.sql',
    text: 'IF v_edited IS NOT NULL AND NOT pg_visible_in_snapshot',
    without: 'IF v_edited IS NULL AND NOT pg_visible_in_snapshot',
    tests: ['review/unstage'],
  },
  {
    name: 'who takes rows out has a part in the session',
    file: 'templates/sql/functions/note_edit.sql',
    text: 'ELSE earlier_authors || p_by END',
    without: 'ELSE earlier_authors END',
    tests: ['rest/unstage'],
  },
  {
    name: 'rows of hidden tables cannot be named',
    file: 'src/review/row-choice.ts',
    text: 'if (table.hidden) return undefined;',
    without: '',
    tests: ['rest/unstage'],
  },
  {
    name: 'dependents in hidden tables are not named',
    file: 'src/review/unstage.ts',
    text: '{ table, rowId: null, type, isDependent, hidden }',
    without: '{ table, rowId, type, isDependent, hidden }',
    tests: ['rest/unstage'],
  },
  {
    name: 'production takes what is left where it would have taken all',
    file: 'src/review/trial.ts',
    text: 'if ((await attempt(db, tx, uuid, trialMs)) === null) throw refused(',
    without: 'if ((await attempt(db, tx, uuid, trialMs)) === undefined) throw refused(',
    tests: ['review/unstage-trial'],
  },
  {
    name: 'nothing is settled that the caller saw differently',
    file: 'src/review/resolution.ts',
    text: 'if (thought === undefined || isSame(thought, productionCurrent)) return;',
    without: 'return;',
    tests: ['review/resolve', 'rest/resolve'],
  },
  {
    name: 'conflicts of hidden tables are not settled',
    file: 'src/review/resolution.ts',
    text: 'found.filter(({ hidden }) => !hidden)',
    without: 'found.filter(({ hidden }) => hidden !== null)',
    tests: ['rest/resolve'],
  },
  {
    name: 'what was settled is no conflict any more',
    file: 'src/overlay/approval/rebase.ts',
    text: '= ANY (p_mine) OR',
    without: '= ANY (p_mine) AND',
    tests: ['review/resolve'],
  },
  {
    name: 'a row that the session has moved is not begun anew',
    file: 'templates/sql/table/approval/rebegin.sql',
    text: 'IF NOT is_possible THEN RETURN; END IF;',
    without: 'is_possible := true;',
    tests: ['review/resolve'],
  },
  {
    name: 'a settled row of which nothing is left is taken out',
    file: 'src/review/resolution.ts',
    text: "return rebased?.['is_void'] === 't' ? lineage : null;",
    without: 'return null;',
    tests: ['review/resolve', 'e2e/resolve-random'],
  },
  {
    name: 'a rehearsal locks the rows before it reads what is staged',
    file: 'src/review/rehearse.ts',
    text: `  const conflicts = await findConflicts(tx, session, rules, refuse);
  const digest = await digestOf(tx, session.uuid);`,
    without: `  const digest = await digestOf(tx, session.uuid);
  const conflicts = await findConflicts(tx, session, rules, refuse);`,
    tests: ['review/rehearse-limits'],
  },
];
