/** A brief: what the diff of a session means, as facts with counts. The words for them are in client/brief-words.ts. */
import { hidden } from './change.ts';
import type { Noun } from './shape.ts';
import { count, json, list, noun, openWord, optional, orNull, shape, text, time } from './shape.ts';

export const flagCodes = [
  'beyond_rule',
  'new_values',
  'duplicates',
  'carried_along',
  'deletes',
  'keys_moved',
  'share_of_table',
  'sensitive_column',
  'triggers',
  'overlap',
  'further_changes',
  'no_where',
  'beyond_production',
  'new_table_for_author',
  'size_for_author',
  'time_of_day',
  'conflict',
  'never_rehearsed',
] as const;
export type FlagCode = (typeof flagCodes)[number];

/** Something unusual that a reviewer should check first. */
export const flagShape = shape(
  {
    code: openWord(flagCodes),
    table: orNull(text('The table that it concerns; null for the session')),
    column: orNull(text('The column that it concerns; null for the table')),
    count: count(
      'Number of rows, of sessions for overlap and time_of_day, of triggers for triggers; a percentage for share_of_table; the round for never_rehearsed',
    ),
    at: optional(time('When it was found, for conflict')),
  },
  'Flag',
);

export type Flag = Noun<typeof flagShape>;

export const tableBriefShape = shape({
  table: text(),
  inserts: count(),
  updates: count(),
  deletes: count(),
  furtherChanges: count(),
  sampled: orNull(count('Number of changes that the facts are about, where these are not all')),
  facts: list(json('object'), 'JSON objects with `kind`, by column'),
  hidden,
});

export type TableBrief = Noun<typeof tableBriefShape>;

export const overlapShape = shape({
  sessionId: orNull(text('Null for an agent, which learns of no other sessions')),
  table: text(),
  rows: count(),
});

export type Overlap = Noun<typeof overlapShape>;

export const briefShape = shape({
  revision: text(),
  tables: list(noun(tableBriefShape)),
  flags: list(noun(flagShape)),
  overlaps: list(noun(overlapShape)),
});

export type Brief = Noun<typeof briefShape>;

/** The members of a card beside the brief. */
export const cardHeadShape = shape({
  round: count('The proposal that it is of; 0 before the first one'),
  digest: orNull(
    text('Digest of what is reviewed; null until it is computed. Approval computes its own'),
  ),
  madeAt: orNull(time('When it was stored; null for a card that is made for this response')),
});

export type CardHead = Noun<typeof cardHeadShape>;
