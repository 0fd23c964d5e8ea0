/** Schemas of the parts of requests. */
import { z } from 'zod';
import { operations } from '../../model/change.ts';
import { isJsonObject } from '../../model/json.ts';

const maxPage = 1000;

/** Text on one line: no control characters, and no unpaired surrogates, which PostgreSQL could not store. */
const oneLine = /^[^\p{Cc}\p{Cs}]*$/u;
/** The same, with line breaks and tabs. */
const lines = /^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u;

/** An object with any members. A zod record would drop a member called `__proto__`. */
export const jsonObject = z
  .unknown()
  .refine(isJsonObject, 'must be an object')
  .transform((value) => value as Readonly<Record<string, unknown>>)
  .meta({ type: 'object' });

/** A short text on one line. */
export const shortText = z
  .string()
  .min(1)
  .max(200)
  .regex(oneLine, 'control characters are not allowed');

/** A column's name: PostgreSQL takes any characters but NUL. */
export const columnName = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[^\0\p{Cs}]*$/u, 'no column can be called like that');

/** A text of several lines. */
export const longText = z.string().max(2000).regex(lines, 'control characters are not allowed');

/** The same, but not blank. */
export const message = longText.refine((text) => text.trim() !== '', 'must not be empty');

/** The longest key of a row, as JSON. */
const maxKeyLength = 4000;

/** Escapes of what PostgreSQL's JSON cannot store: the null character and surrogates. */
const unstorable = /\\u(?:0000|d[89a-f])/i;

/** Returns why a row's key, given as JSON, cannot be a key; null if it can. */
export function faultOfKey(json: string): string | null {
  if (json.length > maxKeyLength) return 'too long';
  return unstorable.test(json) ? 'not a value that PostgreSQL can hold' : null;
}

/** A digest of a diff, or a head of the audit. */
export const digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits');

/** A query parameter that is a whole number. Only digits are accepted: neither `1e9` nor ` 5` nor an empty text. */
const whole = (schema: z.ZodType) =>
  z.preprocess((value) => (isDigits(value) ? Number(value) : value), schema);

function isDigits(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,15}$/.test(value);
}

/** When an approval is applied: a time with its offset from UTC, or `window`. */
export const moment = z
  .union([z.literal('window'), z.iso.datetime({ offset: true })], {
    error: 'must be a time such as 2026-01-31T02:00:00Z, or window',
  })
  .nullish();

/** Converts it; at once if there is none. */
export const momentOf = (given: z.infer<typeof moment>): 'now' | 'window' | number =>
  given == null ? 'now' : given === 'window' ? given : Date.parse(given);

/** The paging parameters of every list. */
export const paging = {
  limit: whole(
    z.int('must be a whole number').min(0).max(maxPage, `must be at most ${maxPage}`).default(100),
  ) as z.ZodType<number>,
  offset: whole(z.int('must be a whole number').min(0).default(0)) as z.ZodType<number>,
};

/** The parameters of the lists that are requested by cursor. */
export const listing = {
  ...paging,
  cursor: z
    .string()
    .max(400)
    .regex(/^[\w-]+$/, 'must be the next_cursor of another page')
    .optional()
    .meta({ description: 'The page begins behind that of which this is the next_cursor' }),
};

/** Steps per page. Large pages are cheaper, because each page sorts all steps of the session. */
export const manySteps = whole(
  z.int('must be a whole number').min(1).max(10_000, 'must be at most 10000').default(1000),
) as z.ZodType<number>;

/** The number of a proposal of a session. */
export const roundNumber = whole(
  z.int('must be a whole number').min(1).max(2_147_483_647),
) as z.ZodType<number>;

/** Seconds to wait for events: less than a minute, after which proxies cut silent connections. */
export const waiting = whole(
  z.int('must be a whole number').min(0).max(50, 'must be at most 50').default(0),
) as z.ZodType<number>;

/** Position in a table's diff: a whole number that PostgreSQL can store. */
export const cursor = z
  .string()
  .regex(/^\d{1,18}$/, 'must be the next_cursor of another page, or the cursor of a chunk')
  .default('0');

/** Position among the steps of a session. */
export const stepCursor = z
  .string()
  .regex(/^\d{1,18}\.\d{1,18}$/, 'must be the next_cursor of another page')
  .default('0.0');

export const operation = z.enum(operations);

/** A query parameter that is true or false. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

const timestampForm =
  /^(\d{4}-\d\d-\d\d)(?:T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)?)?$/;

/**
 * An ISO 8601 date, or date and time; UTC unless it has an offset.
 * The plus sign of an offset arrives as a space if it was not encoded.
 */
export const timestamp = z
  .string()
  .transform((text) => text.replace(/(T[\d:.]+) (\d\d:?\d\d)$/, '$1+$2'))
  .refine(isTimestamp, 'must be an ISO 8601 timestamp, such as 2026-01-31T12:00:00Z')
  .meta({ format: 'date-time' });

function isTimestamp(text: string): boolean {
  const day = timestampForm.exec(text)?.[1];
  if (day === undefined || day.startsWith('0000')) return false;
  // an impossible day, such as February 30th, is parsed as another one
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
