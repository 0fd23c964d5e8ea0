/** The mutation log: the statements in order, and the selected one in full. */

import { roleInWords } from '../../client/cause-words.ts';
import { nameCell, tableCell, valueCell } from '../../client/cell.ts';
import { sanitize } from '../../client/sanitize.ts';
import { hiddenInWords } from '../../client/words.ts';
import type { Mutation } from '../../model/change.ts';
import { elementsOf } from '../../model/json-members.ts';
import type { State } from '../state/state.ts';
import type { Line } from '../terminal/line.ts';
import { span } from '../terminal/line.ts';
import { fit, wrap } from '../terminal/text.ts';
import { signs } from './signs.ts';

/** The maximum number of characters of a statement or parameter that are shown. */
const mostText = 20_000;
const mostParameters = 200;

/** Draws the list and, below it, the selected statement. */
export function logView(state: State, width: number, height: number): Line[] {
  if (state.mutationCount === 0) return [[], [span('  No statements.', 'faint')]];
  const listed = Math.max(1, Math.min(state.mutationCount, Math.floor(height / 2) - 1));
  const last = Math.max(0, state.mutationCount - listed);
  const first = Math.max(0, Math.min(state.mutation - Math.floor(listed / 2), last));
  const list = Array.from({ length: listed }, (_, index) => entry(state, first + index));
  const chosen = state.mutations.get(state.mutation);
  const text = chosen ? statement(state, chosen, width) : [[span('…', 'faint')]];
  return [...list, [span('─'.repeat(width), 'faint')], ...text];
}

function entry(state: State, index: number): Line {
  const mutation = state.mutations.get(index);
  const chosen = index === state.mutation;
  const pointer = span(chosen ? '> ' : '  ', 'strong');
  if (mutation === undefined) return [pointer, span('…', 'faint')];
  const { sign, style } = signs[mutation.type];
  const alarm = state.facts.get(mutation.id)?.noWhere ? '! no WHERE  ' : '';
  return [
    pointer,
    span(`${sign} `, style),
    span(fit(`${mutation.type} ${tableCell(mutation.table)}`, 24), chosen ? 'chosen' : undefined),
    span(` ${rowsInWords(mutation)}  `, 'faint'),
    span(alarm, 'alarm'),
    span(sanitize(textOf(mutation).slice(0, 300)).replaceAll(/\\n\s*/g, ' ')),
  ];
}

const textOf = ({ query }: Mutation) => query ?? hiddenInWords;

const rowsInWords = ({ affectedRows }: Mutation) =>
  affectedRows === 1 ? '1 row' : `${affectedRows.toLocaleString('en-US')} rows`;

function statement(state: State, mutation: Mutation, width: number): Line[] {
  const params = mutation.params === null ? [] : elementsOf(mutation.params);
  const facts = state.facts.get(mutation.id);
  const lines = textOf(mutation).slice(0, mostText).split('\n');
  return [
    [
      span(`${mutation.id}  ${mutation.executedAt}  ${rowsInWords(mutation)}`, 'faint'),
      ...(facts && facts.columns.length > 0
        ? [span('  writes ', 'faint'), span(facts.columns.map(nameCell).join(', '), 'accent')]
        : []),
      ...(mutation.role === null ? [] : [span(`  by ${roleInWords(mutation)}`, 'faint')]),
    ],
    ...(facts?.noWhere ? [[span('! no WHERE clause: every row of the table', 'alarm')]] : []),
    ...lines.flatMap((line) => wrap(sanitize(line), width).map((part) => [span(part)])),
    ...params
      .slice(0, mostParameters)
      .map((value, index) => [
        span(`$${index + 1} = `, 'accent'),
        span(valueCell(value).slice(0, mostText)),
      ]),
  ];
}
