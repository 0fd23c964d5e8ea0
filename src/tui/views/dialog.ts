/** What stands in the place of the body: the help, and what a reviewer is asked before a deed. */
import { tableCell } from '../../client/cell.ts';
import { sanitize } from '../../client/sanitize.ts';
import { aboutSession } from '../../client/session-words.ts';
import { countsInWords, furtherExplained, triggersInWords } from '../../client/words.ts';
import type { TableOutline } from '../../model/change.ts';
import { stepCountsOf } from '../../model/change.ts';
import type { Line } from '../line.ts';
import { span } from '../line.ts';
import type { Deed, State } from '../state.ts';
import { currentDigest } from '../state.ts';
import { fit, wrap } from '../text.ts';

/** Draws the keys whose name or meaning has the text that is being typed. */
export function helpView({ help, keymap }: State): Line[] {
  const wanted = (help ?? '').toLowerCase();
  const found = keymap.bindings.filter(({ keys, does, help: text }) =>
    `${keys.join(' ')} ${does} ${text}`.toLowerCase().includes(wanted),
  );
  return [
    [span(' Keys', 'strong'), span(`   type to search: ${sanitize(help ?? '')}`, 'accent')],
    ...found.map(({ keys, does, help: text }) => [
      span(` ${fit(keys.join(', '), 18)} `, 'accent'),
      span(text),
      span(`  ${does}`, 'faint'),
    ]),
    ...(found.length === 0 ? [[span(' No key does that.', 'faint')]] : []),
  ];
}

const questions: Readonly<Record<Deed, (database: string) => string>> = {
  propose: () => 'Propose this session for review? It then takes no more writes.',
  approve: (database) => `Approve, and apply to production database ${database}?`,
  reject: () => 'Reject this session? Everything it staged is discarded.',
  reopen: () => 'Give this session back for changes? It takes writes again.',
};

/** Draws what is about to be done, to how much, and what speaks against it. */
export function confirmView(state: State, deed: Deed): Line[] {
  const tables = state.outline?.tables ?? [];
  const count = tables.length === 1 ? '1 table' : `${tables.length} tables`;
  const shown = tables.slice(0, 8);
  return [
    [],
    [span(`  ${questions[deed](sanitize(state.database))}`, 'strong')],
    ...(state.session === null ? [] : [[span(`  It was ${aboutSession(state.session)}.`)]]),
    [],
    [span(`  ${countsInWords(stepCountsOf(tables))} in ${count}`)],
    ...shown.flatMap((table) => tableLines(table, deed)),
    ...(tables.length > shown.length
      ? [[span(`    and ${tables.length - shown.length} more`)]]
      : []),
    [],
    ...remarks(state, deed),
  ];
}

function tableLines(table: TableOutline, deed: Deed): Line[] {
  const triggers = deed === 'approve' ? triggersInWords(table.triggers) : null;
  return [
    [span(`    ${tableCell(table.table)}: ${countsInWords(stepCountsOf([table]))}`, 'faint')],
    ...(triggers === null ? [] : [[span(`      ! ${triggers}`, 'alarm')] satisfies Line]),
  ];
}

function remarks(state: State, deed: Deed): Line[] {
  const { session, conflicts, reviewed, outline } = state;
  const { columns } = state.size;
  const digest = currentDigest(state);
  const changes = stepCountsOf(outline?.tables ?? []);
  const total = changes.inserts + changes.updates + changes.deletes;
  const lines: Line[] = [];
  const applies = deed === 'approve' || deed === 'propose';
  if (applies && changes.furtherChanges > 0) {
    lines.push(...wrap(furtherExplained, columns - 4).map((text) => [span(`  ${text}`, 'alarm')]));
  }
  if (deed === 'approve') {
    lines.push([span(`  digest ${digest ?? 'is being computed …'}`)]);
    lines.push([span(`  ${reviewed.size} of ${total} changes marked as reviewed`)]);
  }
  if ((deed === 'approve' || deed === 'reject') && session?.status === 'active') {
    lines.push([span('  ! The session is still active: propose it first, with P.', 'alarm')]);
  }
  if (conflicts && conflicts.length > 0 && applies) {
    lines.push([span(`  ! ${conflicts.length} in conflict with production`, 'alarm')]);
  }
  return lines;
}
