/** Dialogs in place of the body: the help, and the confirmations. */
import { tableCell } from '../../client/cell.ts';
import { conflictPlace, rowPlace } from '../../client/place-words.ts';
import { rehearsalInWords } from '../../client/rehearsal-words.ts';
import { sanitize } from '../../client/sanitize.ts';
import { aboutSession } from '../../client/session-words.ts';
import { countsInWords, furtherExplained, triggersInWords } from '../../client/words.ts';
import type { TableOutline } from '../../model/change.ts';
import { stepCountsOf } from '../../model/change.ts';
import type { Decision, Edit, Plan, Prompt } from '../state/decisions.ts';
import { isApproval } from '../state/decisions.ts';
import { isOffered } from '../state/permissions.ts';
import type { State } from '../state/state.ts';
import { currentDigest } from '../state/state.ts';
import type { Line } from '../terminal/line.ts';
import { span } from '../terminal/line.ts';
import { fit, wrap } from '../terminal/text.ts';
import { isOutdated } from './effects.ts';
import { inColumns, planLines } from './plan.ts';
import { urgentRemarks } from './policy.ts';

/** Draws the bindings that match the typed text, without those that the caller may not use. */
export function helpView(state: State, height: number): Line[] {
  const { help, keymap } = state;
  const wanted = (help ?? '').toLowerCase();
  const found = keymap.bindings.filter(
    ({ keys, does, help: text }) =>
      isOffered(state, does) && `${keys.join(' ')} ${does} ${text}`.toLowerCase().includes(wanted),
  );
  const shown = found.length < height ? found : found.slice(0, Math.max(0, height - 2));
  return [
    [span(' Keys', 'strong'), span(`   type to search: ${sanitize(help ?? '')}`, 'accent')],
    ...shown.map(({ keys, does, help: text }) => [
      span(` ${fit(keys.join(', '), 18)} `, 'accent'),
      span(text),
      span(`  ${does}`, 'faint'),
    ]),
    ...(shown.length < found.length
      ? [[span(` and ${found.length - shown.length} more`, 'faint')] satisfies Line]
      : []),
    ...(found.length === 0 ? [[span(' No key does that.', 'faint')]] : []),
  ];
}

const questions: Readonly<Record<Decision, (database: string) => string>> = {
  propose: () => 'Propose this session for review? It then takes no more writes.',
  approve: (database) => `Approve, and apply to production database ${database}?`,
  schedule: (database) => `Approve now, and apply to production database ${database} later?`,
  breakGlass: (database) =>
    `Approve PAST THE POLICY, and apply to production database ${database}?`,
  review: () => 'Record that you have reviewed this approval?',
  split: () => 'Move the marked part to a session of its own?',
  reject: () => 'Reject this session? Everything it staged is discarded.',
  reopen: () => 'Give this session back for changes? It accepts writes again.',
  revert: () =>
    'Take this approval back? A new session gets the inverse, and is reviewed like any.',
};

/** Draws what a decision does, how many changes it concerns, and possible objections. */
export function confirmView(
  state: State,
  decision: Decision,
  plan?: Plan,
  ties: readonly string[] = [],
): Line[] {
  const tables = state.outline?.tables ?? [];
  const count = tables.length === 1 ? '1 table' : `${tables.length} tables`;
  const shown = tables.slice(0, 8);
  return [
    [],
    [span(`  ${question(state, decision, plan)}`, 'strong')],
    ...(state.session === null ? [] : [[span(`  It was ${aboutSession(state.session)}.`)]]),
    ...planLines(state, decision, plan, ties),
    [],
    [span(`  ${plan?.part ? 'Of ' : ''}${countsInWords(stepCountsOf(tables))} in ${count}`)],
    ...shown.flatMap((table) => tableLines(table, decision)),
    ...(tables.length > shown.length
      ? [[span(`    and ${tables.length - shown.length} more`)]]
      : []),
    [],
    ...remarks(state, decision),
  ];
}

const question = ({ database }: State, decision: Decision, plan: Plan | undefined) =>
  questions[decision](sanitize(database)).replace(
    /^Approve,/,
    plan?.part ? 'Approve the marked part,' : 'Approve,',
  );

const changes = {
  unstage: 'Take this out of the session, as if it had never been staged?',
  resolve: 'Settle this conflict?',
} as const;

/** Draws the rows that are about to be removed, and those that depend on them. */
export function editView({ edit, dependents }: Prompt & { kind: 'edit' }, columns: number): Line[] {
  return [
    [],
    [span(`  ${changes[edit.kind]}`, 'strong')],
    [],
    [span(`    ${editPlace(edit)}`)],
    [],
    ...(dependents.length === 0
      ? []
      : [
          [span('  These rows depend on it. Take them out, too?', 'alarm')] satisfies Line,
          ...inColumns(dependents, columns),
        ]),
  ];
}

function editPlace(edit: Edit): string {
  if (edit.kind === 'resolve') {
    const side = edit.take === 'mine' ? "the session's value" : "production's value";
    return `${conflictPlace(edit.conflict)}: ${side} stands`;
  }
  const { table, rowId } = edit;
  return rowId === null
    ? `all rows of ${tableCell(table)}: it has no key, so nobody can tell which one is meant`
    : rowPlace({ table, rowId });
}

function tableLines(table: TableOutline, decision: Decision): Line[] {
  const triggers = isApproval(decision) ? triggersInWords(table.triggers) : null;
  return [
    [span(`    ${tableCell(table.table)}: ${countsInWords(stepCountsOf([table]))}`, 'faint')],
    ...(triggers === null ? [] : [[span(`      ! ${triggers}`, 'alarm')] satisfies Line]),
  ];
}

function remarks(state: State, decision: Decision): Line[] {
  const { session, conflicts, reviewed, outline } = state;
  const { columns } = state.size;
  const digest = currentDigest(state);
  const changes = stepCountsOf(outline?.tables ?? []);
  const total = changes.inserts + changes.updates + changes.deletes;
  const lines: Line[] = [];
  const applies = isApproval(decision) || decision === 'propose';
  if (applies && changes.furtherChanges > 0) {
    lines.push(...wrap(furtherExplained, columns - 4).map((text) => [span(`  ${text}`, 'alarm')]));
  }
  if (isApproval(decision)) {
    lines.push(...policyRemarks(state));
    lines.push([span(`  digest ${digest ?? 'is being computed …'}`)]);
    lines.push([span(`  ${reviewed.size} of ${total} changes marked as reviewed`)]);
    lines.push(...rehearsalRemark(state));
  }
  if ((isApproval(decision) || decision === 'reject') && session?.status === 'active') {
    lines.push([span('  ! The session is still active: propose it first, with P.', 'alarm')]);
  }
  if (conflicts && conflicts.length > 0 && applies) {
    lines.push([span(`  ! ${conflicts.length} in conflict with production`, 'alarm')]);
  }
  return lines;
}

/** Draws who has agreed, and the rules in the way. */
const policyRemarks = (state: State): Line[] =>
  urgentRemarks(state).flatMap(({ sign, text, style }) =>
    wrap(`${sign === '!' ? '! ' : ''}${text}`, Math.max(10, state.size.columns - 4)).map(
      (part): Line => [span(`  ${part}`, style)],
    ),
  );

/** Draws the result of the latest rehearsal, or that this diff was not rehearsed. */
function rehearsalRemark(state: State): Line[] {
  const { rehearsal, size } = state;
  if (rehearsal !== null && currentDigest(state) === null) return [];
  if (rehearsal === null || isOutdated(state, rehearsal)) return [[span('  not rehearsed')]];
  const text = `${rehearsal.ok ? '' : '! '}${rehearsalInWords(rehearsal)}`;
  const style = rehearsal.ok ? undefined : 'alarm';
  return wrap(text, size.columns - 4).map((part): Line => [span(`  ${part}`, style)]);
}
