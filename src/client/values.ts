/** The values of rows, as far as they can be told apart: their JSON, and the texts of those that it does not tell from others. */
import type { Conflict } from '../model/change.ts';
import { JsonText } from '../model/json.ts';
import { textCell, valueCell } from './cell.ts';
import { membersOf } from './fields.ts';
import { isSafe } from './sanitize.ts';

/** A column's value. */
export interface Value {
  readonly json: JsonText;
  /** PostgreSQL's own text, where others have the same JSON: `null` of type jsonb beside NULL. */
  readonly text?: string;
}

export type Row = ReadonlyMap<string, Value>;

/** What is known of a column: where it stands is what its place in a list says. */
export interface KnownColumn {
  readonly name: string;
}

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * The values of a row by column: those of the given columns first, in their order.
 * @param texts the texts that came beside the row
 * @param member what the row is called there
 */
export function valuesOf(
  row: JsonText | null,
  texts: JsonText | undefined,
  member: string,
  columns: readonly KnownColumn[] = [],
): Row {
  const known = texts && (JSON.parse(texts.text) as Texts)[member];
  const members = membersOf(row ?? nothing);
  const names = new Set([...columns.map(({ name }) => name), ...members.keys()]);
  const values = new Map<string, Value>();
  for (const name of names) {
    const json = members.get(name);
    if (json !== undefined) values.set(name, valueIn(json, known, name));
  }
  return values;
}

/** What a conflict is between: the value that the session saw, the one that it stages, and the one that production has. */
export function sidesOf(conflict: Conflict): readonly [base: Value, staged: Value, current: Value] {
  const texts = conflict.texts && (JSON.parse(conflict.texts.text) as Texts);
  const side = (json: JsonText | null, member: string) =>
    valueIn(json ?? none, texts?.[member], conflict.field ?? '');
  return [
    side(conflict.sessionBase, 'session_base'),
    side(conflict.sessionNew, 'session_new'),
    side(conflict.productionCurrent, 'production_current'),
  ];
}

function valueIn(json: JsonText, texts: Texts[string] | undefined, name: string): Value {
  return texts && Object.hasOwn(texts, name) ? { json, text: texts[name] ?? '' } : { json };
}

const nothing = new JsonText('{}');
const none = new JsonText('null');

/** Whether two values, or places where there is none, are the same. */
export function isSame(value: Value | undefined, other: Value | undefined): boolean {
  return value?.json.text === other?.json.text && value?.text === other?.text;
}

export function isNull({ json, text }: Value): boolean {
  return json.text === 'null' && text === undefined;
}

/** Shows a value: no two values of one column are shown the same. */
export function columnCell({ json, text }: Value): string {
  if (text === undefined) return valueCell(json);
  return isSafe(text) && isDocument(text) ? text : textCell(text);
}

/** Whether a text is one of JSON that nobody takes for anything else. */
function isDocument(text: string): boolean {
  if (!/^["[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What a value says, for those who look into it: of a text, a document or an array its text; null for NULL. */
export function plainText(value: Value): string | null {
  if (isNull(value)) return null;
  const { json, text } = value;
  return text ?? (json.text.startsWith('"') ? (JSON.parse(json.text) as string) : json.text);
}
