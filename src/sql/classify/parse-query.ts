/** Splits a query string into statements and classifies each. A text that cannot be parsed is never classified as a read. */
import { isUtf8 } from 'node:buffer';
import type { RawStmt } from 'libpg-query';
import { invalidUtf8 } from '../../invalid-utf8.ts';
import { ParserFailure, parseTree } from '../parser/parser.ts';
import { longestRun } from '../parser/text-scan.ts';
import { maxWeight, weightOf } from '../parser/text-weight.ts';
import type { Refusal } from '../refusal.ts';
import type { Statement } from '../verdict.ts';
import { classify } from './classify.ts';
import { refuse } from './refusal.ts';

/** Maximum length of a statement unless the caller passes another. */
const defaultMaxBytes = 16 * 1024 * 1024;

const tooComplex = refuse(
  'stack depth limit exceeded: the statement is nested too deeply',
  'Split the statement, or use lists and arrays in place of long chains of operators.',
  '54001',
);

const tooHeavy = refuse(
  `statement has more than ${maxWeight} words, values and signs`,
  'Split the statement, or send the values as an array, or by COPY.',
  '54000',
);

const longRun = refuse(
  `statement has a run of more than ${longestRun} operator letters`,
  'Put spaces between operators, and between the marks of comments.',
  '54001',
);

/**
 * Splits a query string into its statements and classifies each. A text that must not be parsed results in one refused statement.
 * @param text the query string in UTF-8, without a terminating zero
 * @returns the statements in order, none for an empty query. Their texts share the memory of `text`.
 * @throws SqlSyntaxError if PostgreSQL's grammar rejects the text
 */
export function parseQuery(text: Buffer, maxBytes = defaultMaxBytes): readonly Statement[] {
  const unfit = unfitness(text, maxBytes);
  if (unfit) return [{ start: 0, text, verdict: unfit }];
  try {
    return (parseTree(text).stmts ?? []).map((raw) => readStatement(text, raw));
  } catch (error) {
    if (error instanceof ParserFailure) return [{ start: 0, text, verdict: reasonAgainst(text) }];
    throw error;
  }
}

/** Classifies a statement. Its text begins with its first word and includes comments after the last one. */
function readStatement(query: Buffer, raw: RawStmt): Statement {
  const from = raw.stmt_location ?? 0;
  const to = raw.stmt_len ? from + raw.stmt_len : query.length;
  let start = from;
  let end = to;
  while (start < end && isSpace(query[start])) start += 1;
  while (end > start && isSpace(query[end - 1])) end -= 1;
  const text = query.subarray(start, end);
  return { start, text, verdict: classify(raw.stmt, { text, offset: start }) };
}

function unfitness(text: Buffer, maxBytes: number): Refusal | null {
  // guard: a text has a largest length
  if (text.length > maxBytes) {
    return refuse(
      `statement of ${text.length} bytes is longer than the limit of ${maxBytes} bytes`,
      'Split the statement, or raise the limit in the configuration of the service.',
      '54000',
    );
  }
  // The parser would stop at a zero byte, and would decode invalid UTF-8 differently from the server.
  if (text.includes(0)) return notUtf8(text);
  // guard: a text is UTF-8
  return isUtf8(text) ? null : notUtf8(text);
}

/** Returns why the parser failed on a text, or did not accept it. */
function reasonAgainst(text: Buffer): Refusal {
  const weight = weightOf(text, maxWeight);
  if (weight === Number.POSITIVE_INFINITY) return longRun;
  return weight > maxWeight ? tooHeavy : tooComplex;
}

function notUtf8(text: Buffer): Refusal {
  return refuse(
    invalidUtf8(text),
    'Send statements in UTF-8: a staged session has no other encoding.',
    '22021',
  );
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);
}
