/** Values that production's triggers set other than they did while staging. */
import type { Noun } from './shape.ts';
import { count, json, list, noun, orNull, shape, text, word } from './shape.ts';

const differenceShape = shape({
  table: text(),
  rowId: json('key'),
  field: text(),
  staged: orNull(json('any')),
  landed: orNull(json('any')),
  expected: orNull(
    word(['time', 'random'], "What the text of a trigger sets the column to; null if it doesn't"),
  ),
});

export const differencesShape = shape({
  count: count('Values that landed other than staged'),
  unexpected: count('The number of those that are neither times nor random values'),
  rows: list(noun(differenceShape), 'The first 100; of each table, unexpected ones first'),
});

export type Differences = Noun<typeof differencesShape>;
