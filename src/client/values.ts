/** The values of rows. A value is its JSON, with PostgreSQL's text where different values have the same JSON. */
import type { Conflict } from '../model/conflict.ts';
import { JsonText } from '../model/json.ts';
import { membersOf } from '../model/json-members.ts';
import { textCell, valueCell } from './cell.ts';
import { isSafe } from './sanitize.ts';
import { sha256 } from './sha256.ts';

/** A column's value. */
export interface Value {
  readonly json: JsonText;
  /** PostgreSQL's text where different values have the same JSON, such as jsonb `null` and NULL. */
  readonly text?: string;
  /** Whether the column is of type bytea. Such a value is shown by its length and hash. */
  readonly isBytes?: true;
}

export type Row = ReadonlyMap<string, Value>;

/** A known column; its position in a list is its position in the table. */
export interface KnownColumn {
  readonly name: string;
  readonly type?: string;
}

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Returns the values of a row by column. The given columns come first, in their order.
 * @param texts the texts that accompany the row
 * @param member the row's member in `texts`
 */
export function valuesOf(
  row: JsonText | null,
  texts: JsonText | undefined,
  member: string,
  columns: readonly KnownColumn[] = [],
): Row {
  const known = texts && (JSON.parse(texts.text) as Texts)[member];
  const members = membersOf(row ?? nothing);
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const values = new Map<string, Value>();
  for (const name of new Set([...types.keys(), ...members.keys()])) {
    const json = members.get(name);
    if (json === undefined) continue;
    const isBytes = types.get(name) === 'bytea' && bytes.test(json.text);
    values.set(name, { ...valueIn(json, known, name), ...(isBytes ? { isBytes } : {}) });
  }
  return values;
}

type Side = Value | undefined;

/**
 * Returns the sides of a conflict: the value that the session saw, the one that it stages, and the one that production has. A side without
 * the row is undefined.
 */
export function sidesOf(conflict: Conflict): readonly [base: Side, staged: Side, current: Side] {
  const { kind, field, sessionDeletes = false } = conflict;
  const texts = conflict.texts && (JSON.parse(conflict.texts.text) as Texts);
  const side = (json: JsonText | null, member: string, isGone: boolean): Side => {
    if (isGone || (json === null && field === null)) return undefined;
    return valueIn(json ?? none, texts?.[member], field ?? '');
  };
  return [
    side(conflict.sessionBase, 'session_base', false),
    side(conflict.sessionNew, 'session_new', sessionDeletes),
    side(conflict.productionCurrent, 'production_current', kind === 'gone'),
  ];
}

function valueIn(json: JsonText, texts: Texts[string] | undefined, name: string): Value {
  return texts && Object.hasOwn(texts, name) ? { json, text: texts[name] ?? '' } : { json };
}

/** The JSON of a bytea. */
const bytes = /^"\\\\x(?:[0-9a-f]{2})*"$/;

const nothing = new JsonText('{}');
const none = new JsonText('null');

/** Returns whether two values are the same, or both are missing. */
export function isSame(value: Value | undefined, other: Value | undefined): boolean {
  return value?.json.text === other?.json.text && value?.text === other?.text;
}

export function isNull({ json, text }: Value): boolean {
  return json.text === 'null' && text === undefined;
}

/** Formats a value. Different values of one column look different. */
export function columnCell(value: Value): string {
  const { json, text, isBytes } = value;
  if (isBytes) return bytesCell(value);
  if (text === undefined) return valueCell(json);
  return isSafe(text) && isDocument(text) ? text : textCell(text);
}

/** The maximum number of bytes that are shown as they are. */
const mostBytes = 32;
const cells = new WeakMap<Value, string>();

/** Formats a bytea: few bytes in hexadecimal digits; of more, their number and the hash that sha256sum prints. */
function bytesCell(value: Value): string {
  const known = cells.get(value);
  if (known !== undefined) return known;
  const digits = (JSON.parse(value.json.text) as string).slice('\\x'.length);
  const count = digits.length / 2;
  const cell =
    count <= mostBytes
      ? `\\x${digits}`
      : `${count.toLocaleString('en-US')} bytes, sha256 ${sha256(digits)}`;
  cells.set(value, cell);
  return cell;
}

/** Returns whether a text is JSON that cannot be mistaken for another value. */
export function isDocument(text: string): boolean {
  if (!/^["[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the text of a value without quotes or escapes; null for NULL. */
export function plainText(value: Value): string | null {
  if (isNull(value)) return null;
  const { json, text } = value;
  return text ?? (json.text.startsWith('"') ? (JSON.parse(json.text) as string) : json.text);
}
