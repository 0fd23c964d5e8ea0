/** The values of rows, as far as they can be told apart: their JSON, and the texts of those that it does not tell from others. */
import { createHash } from 'node:crypto';
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
  /** Whether the column is of type bytea: such a value is shown by its length and its hash. */
  readonly isBytes?: true;
}

export type Row = ReadonlyMap<string, Value>;

/** What is known of a column: where it stands is what its place in a list says. */
export interface KnownColumn {
  readonly name: string;
  readonly type?: string;
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
 * What a conflict is between: the value that the session saw, the one that it stages, and the one that production has. A side
 * that has no row is undefined.
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

/** A bytea as the JSON of a row has it. */
const bytes = /^"\\\\x(?:[0-9a-f]{2})*"$/;

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
export function columnCell(value: Value): string {
  const { json, text, isBytes } = value;
  if (isBytes) return bytesCell(value);
  if (text === undefined) return valueCell(json);
  return isSafe(text) && isDocument(text) ? text : textCell(text);
}

/** Bytes that are shown as they are. */
const mostBytes = 32;
const cells = new WeakMap<Value, string>();

/** Shows bytes: a few in hexadecimal digits, of more their number and their hash, as sha256sum gives it. */
function bytesCell(value: Value): string {
  const known = cells.get(value);
  if (known !== undefined) return known;
  const digits = (JSON.parse(value.json.text) as string).slice('\\x'.length);
  const count = digits.length / 2;
  const hash = () => createHash('sha256').update(Buffer.from(digits, 'hex')).digest('hex');
  const cell =
    count <= mostBytes
      ? `\\x${digits}`
      : `${count.toLocaleString('en-US')} bytes, sha256 ${hash()}`;
  cells.set(value, cell);
  return cell;
}

/** Whether a text is one of JSON that nobody takes for anything else. */
export function isDocument(text: string): boolean {
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
