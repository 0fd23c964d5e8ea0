/** The words for a brief: sentences about what changed, and what is unusual. Values are formatted like those of rows. */
import type { Brief, Flag, FlagCode, TableBrief } from '../model/brief.ts';
import type { JsonText } from '../model/json.ts';
import { keyCell, nameCell, tableCell, valueCell } from './cell.ts';
import { Fields } from './fields.ts';
import { sanitize } from './sanitize.ts';
import type { Signs } from './signs.ts';
import { unicodeSigns } from './signs.ts';
import { changesHidden, countsInWords } from './words.ts';

/** The sentences about one table. */
export interface TableSentences {
  readonly table: string;
  /** Its counts. */
  readonly counts: string;
  readonly sentences: readonly string[];
}

/** Returns the sentences of a brief, table by table. */
export const briefSentences = ({ tables }: Brief, signs = unicodeSigns): TableSentences[] =>
  tables.map((table) => ({
    table: tableCell(table.table),
    counts: table.hidden ? changesHidden(table) : countsInWords(table),
    sentences: [
      ...table.facts.flatMap((fact) => sentenceOf(fact, signs)),
      ...(table.sampled === null ? [] : [sampleInWords(table)]),
    ],
  }));

const sampleInWords = ({ sampled, inserts, updates, deletes }: TableBrief) =>
  `these sentences are of a sample of ${sampled} of ${inserts + updates + deletes} changes`;

const longest = 60;

/** Formats a value, cut so that it fits into a sentence. */
export function shortCell(value: JsonText | null, { cut } = unicodeSigns): string {
  const text = value === null ? 'NULL' : valueCell(value);
  return text.length > longest ? `${text.slice(0, longest)}${cut}` : text;
}

const rowsInWords = (count: number) => `${count} ${count === 1 ? 'row' : 'rows'}`;

/** Returns the sentence of a fact; none for a kind that a newer daemon knows. */
function sentenceOf(fact: JsonText, signs: Signs): string[] {
  const fields = new Fields(fact);
  const words = sentences[fields.required('kind')];
  if (words === undefined) return [];
  const column = fields.text('column');
  const nulls = (['emptied', 'filled'] as const).flatMap((kind) => {
    const count = fields.json(kind) === null ? 0 : fields.number(kind);
    return count === 0 ? [] : [`${count} ${kind === 'emptied' ? 'to NULL' : 'from NULL'}`];
  });
  const end = nulls.length === 0 ? '' : ` (${nulls.join(', ')})`;
  return [`${column === null ? '' : `${nameCell(column)}: `}${words(fields, signs)}${end}`];
}

const sentences: Readonly<Record<string, (fields: Fields, signs: Signs) => string>> = {
  constant: (fields, signs) =>
    `all ${fields.number('rows')} changed to ${shortCell(fields.json('value'), signs)}`,
  rule: (fields, signs) => {
    const rule = ruleInWords(fields, '', signs);
    const explains = `${rule} explains ${fields.number('explained')} of ${rowsInWords(fields.number('of'))}`;
    if (fields.json('others') === null) return explains;
    const others = fields.number('others');
    const keys = fields.list('keys').map(keyCell);
    const more = others > keys.length ? ' and others' : '';
    const second =
      fields.json('other_explained') === null
        ? ''
        : `, of which ${ruleInWords(fields, 'other_', signs)} explains ${fields.number('other_explained')}`;
    return `${explains}; ${others} ${others === 1 ? 'does' : 'do'} not follow it: ${keys.join(', ')}${more}${second}`;
  },
  values: (fields, signs) =>
    fields
      .list('pairs')
      .map((pair) => {
        const of = new Fields(pair);
        const sides = ['before', 'after'].map((side) => shortCell(of.json(side), signs));
        return `${sides.join(` ${signs.arrow} `)} (${rowsInWords(of.number('rows'))})`;
      })
      .join(', '),
  range: (fields) => {
    const moved = `no single rule for ${rowsInWords(fields.number('of'))}: ${fields.number('up')} up, ${fields.number('down')} down`;
    const [lowest, median, highest] = ['lowest', 'median', 'highest'].map((name) => {
      const percent = fields.json(name);
      return percent === null || percent.text === 'null' ? null : signed(percent.text);
    });
    return lowest === null
      ? moved
      : `${moved}; from ${lowest} % to ${highest} %, median ${median} %`;
  },
  changed: (fields) => {
    const values = fields.number('values');
    return `${rowsInWords(fields.number('rows'))} changed, to ${values} ${values === 1 ? 'value' : 'different values'}`;
  },
  duplicates: (fields) =>
    `${fields.number('rows')} inserted rows equal another inserted one in ${fields.list('columns').map(columnOf).join(', ')}`,
  new_values: (fields, signs) =>
    `no row of production has ${fields
      .list('values')
      .map((value) => shortCell(value, signs))
      .join(', ')} (${rowsInWords(fields.number('rows'))})`,
  beyond_production: (fields, signs) => {
    const part = (count: 'above' | 'below', value: 'highest' | 'lowest', words: string) =>
      fields.json(count) === null
        ? []
        : [`${rowsInWords(fields.number(count))} ${words} ${shortCell(fields.json(value), signs)}`];
    const parts = [
      ...part('above', 'highest', 'above every row of production, up to'),
      ...part('below', 'lowest', 'below every row of production, down to'),
    ];
    return parts.join('; ');
  },
  carried: (fields) =>
    `${alongInWords(fields, ['deletes', 'updates'])}, by the foreign key ${nameCell(fields.required('foreign_key'))}`,
  written: (fields) =>
    `${alongInWords(fields, ['inserts', 'updates', 'deletes'])}, by the trigger ${nameCell(fields.required('trigger'))} of ${tableCell(fields.required('table'))}`,
};

const verbs = { inserts: 'inserted', updates: 'updated', deletes: 'deleted' };

/** Formats what else a statement changed: `2 rows deleted, 1 row updated along`. */
function alongInWords(fields: Fields, kinds: readonly (keyof typeof verbs)[]): string {
  const parts = kinds.flatMap((kind) => {
    const count = fields.number(kind);
    return count === 0 ? [] : [`${rowsInWords(count)} ${verbs[kind]}`];
  });
  return `${parts.join(', ')} along`;
}

const columnOf = (name: JsonText) => nameCell(JSON.parse(name.text) as string);
const signed = (number: string) => (number.startsWith('-') ? number : `+${number}`);

/** Formats a rule: `= 9.99`, `× 1.1`, `- 2`, `× 1.02 + 0.5`. */
function ruleInWords(fields: Fields, prefix: string, { times }: Signs): string {
  const [factor, addend] = ['factor', 'addend'].map(
    (name) => fields.json(prefix + name)?.text ?? '0',
  );
  const added = (text = '0') =>
    text.startsWith('-') ? `- ${sanitize(text.slice(1))}` : `+ ${sanitize(text)}`;
  if (factor === '0') return `= ${sanitize(addend ?? '')}`;
  if (factor === '1') return added(addend);
  return `${times} ${sanitize(factor ?? '')}${addend === '0' ? '' : ` ${added(addend)}`}`;
}

const flagWords: Readonly<Record<FlagCode, (flag: Flag, where: string) => string>> = {
  beyond_rule: ({ count }, where) =>
    `${rowsInWords(count)} of ${where} ${count === 1 ? 'breaks' : 'break'} the rule`,
  new_values: ({ count }, where) =>
    `values that no row of production has in ${where}: ${rowsInWords(count)}`,
  duplicates: ({ count }, where) => `duplicates among the rows inserted into ${where}: ${count}`,
  carried_along: ({ count }, where) =>
    `${rowsInWords(count)} of ${where} carried along by foreign keys`,
  deletes: ({ count }, where) => `${rowsInWords(count)} of ${where} deleted`,
  keys_moved: ({ count }, where) => `keys moved in ${where}: ${rowsInWords(count)}`,
  share_of_table: ({ count }, where) => `${count} % of the rows of ${where}`,
  sensitive_column: ({ count }, where) => `sensitive: ${where}, ${rowsInWords(count)}`,
  triggers: ({ count }, where) =>
    `${count} of production's triggers on ${where} ${count === 1 ? 'runs' : 'run'} at approval`,
  overlap: ({ count }, where) =>
    `${count === 1 ? 'another open session changes' : `${count} other open sessions change`} the same rows of ${where}`,
  further_changes: ({ count }, where) =>
    `${count} further ${count === 1 ? 'change' : 'changes'} of ${where}, which no net change shows`,
  no_where: ({ count }, where) =>
    `UPDATE or DELETE without WHERE: ${rowsInWords(count)} of ${where}`,
  beyond_production: ({ count }, where) =>
    `values beyond those of every row of production in ${where}: ${rowsInWords(count)}`,
  new_table_for_author: (_, where) => `the author has not changed ${where} before`,
  size_for_author: ({ count }) =>
    `${count} changes, more than ten times as many as the author's usual ones`,
  time_of_day: ({ count }) =>
    `proposed at an unusual time: none of the author's ${count} earlier sessions within three hours of this time of day`,
  conflict: ({ count, at }, where) =>
    `in conflict with production: ${rowsInWords(count)} of ${where}, as of ${momentOf(at ?? '')}`,
  never_rehearsed: ({ count }) =>
    `no successful rehearsal${count > 1 ? ` in round ${count}` : ''} yet`,
};

/** Formats a time to the minute: `2026-01-31 12:00 UTC`. */
const momentOf = (time: string) => sanitize(time).replace(/^(.{10})T(.{5}).*$/, '$1 $2 UTC');

/** Returns the flags of a brief in words. */
export const flagsInWords = ({ flags, overlaps }: Brief): string[] => [
  ...flags.map((flag) => flagWords[flag.code](flag, placeOf(flag))),
  ...overlaps.flatMap(({ sessionId, table, rows }) =>
    sessionId === null
      ? []
      : [
          `approval puts ${sanitize(sessionId)} in conflict: ${rowsInWords(rows)} of ${tableCell(table)}`,
        ],
  ),
];

const placeOf = ({ table, column }: Flag) =>
  [
    ...(table === null ? [] : [tableCell(table)]),
    ...(column === null ? [] : [nameCell(column)]),
  ].join('.');

/** Returns a brief as lines: what is unusual, then each table with its sentences. */
export const briefLines = (brief: Brief, signs = unicodeSigns): string[] => [
  ...flagsInWords(brief).map((flag) => `! ${flag}`),
  ...briefSentences(brief, signs).flatMap(({ table, counts, sentences: said }) => [
    `${table}: ${counts}`,
    ...said.map((sentence) => `  ${sentence}`),
  ]),
];
