/** Parses the options that choose a part of a session: `--only orders`, `--only 'products:1,3'`. */

import type { RowChoice } from '../../client/edits.ts';
import type { PartChoice } from '../../client/split.ts';
import { StageError } from '../../errors.ts';
import { shownAs } from '../../model/table.ts';
import { keyOf } from './row-key.ts';

export interface PartOptions {
  readonly only?: readonly string[];
  readonly withTies?: true;
}

/** A table, with its quoted parts, and the keys after the colon. */
const form = /^((?:"(?:[^"]|"")*"|[^":])+)(?::(.+))?$/s;

/** A key: a JSON object or string, or a text without commas. */
const keyForm = /\{(?:"(?:[^"\\]|\\.)*"|[^"}])*\}|"(?:[^"\\]|\\.)*"|[^,]+/gs;

/**
 * Reads the chosen part.
 * @returns undefined if no part is chosen
 * @throws StageError `usage`
 */
export function partOf({ only, withTies }: PartOptions): PartChoice | undefined {
  if (only === undefined) {
    if (withTies === undefined) return undefined;
    throw new StageError('usage', '--with-ties goes with --only', {
      hint: "Choose rows: --only orders --only 'products:1,3' --with-ties",
    });
  }
  return { rows: only.flatMap(rowsOf), withTies: withTies === true };
}

function rowsOf(text: string): RowChoice[] {
  const [, written = '', keys] = form.exec(text) ?? [];
  if (written === '' || keys?.replaceAll(keyForm, '').replaceAll(',', ''))
    throw new StageError('usage', `${JSON.stringify(text)} names neither a table nor rows of one`, {
      hint: "Write a table, or a table and keys: --only orders --only 'products:1,3'",
    });
  const table = shownAs(written);
  if (keys === undefined) return [{ table }];
  return [...keys.matchAll(keyForm)].map(([key]) => ({ table, rowId: keyOf(key) }));
}

/** Collects the values of an option that may be given several times. */
export const collected = (value: string, before: readonly string[] = []) => [...before, value];
