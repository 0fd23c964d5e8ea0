/** The verdict on PREPARE, EXECUTE and DEALLOCATE. */

import type { DeallocateStmt, ExecuteStmt, PrepareStmt, ScanToken } from 'libpg-query';
import { readName } from '../parser/identifier-reader.ts';
import { scanTokens } from '../parser/parser.ts';
import type { ByteRange } from '../splice.ts';
import type { Control, Refusal } from '../verdict.ts';
import { classifyQuery } from './classify-query.ts';
import { collectUses } from './query-uses.ts';
import { unknownElement, unreadableName } from './refused-parts.ts';
import type { Source } from './relation-uses.ts';

/** Classifies a PREPARE by its body. */
export function classifyPrepare(statement: PrepareStmt, source: Source): Control | Refusal {
  if (!statement.query) return unknownElement('PREPARE');
  const body = classifyQuery(statement.query, source);
  if (body.kind === 'refuse') return body;
  const tokens = scanTokens(source.text);
  const keyword = bodyKeyword(tokens);
  const name = readName(source.text, tokens[1]?.start ?? 0, 1)?.[0];
  if (keyword === undefined || name === undefined) return unreadableName;
  return {
    kind: 'control',
    action: {
      type: 'prepare',
      name: statement.name ?? '',
      body,
      bodyRange: { start: keyword.body, end: source.text.length },
      typesRange: { start: name.end, end: keyword.start },
    },
  };
}

/** Classifies an EXECUTE by its arguments; what it runs was classified by PREPARE. */
export function classifyExecute(statement: ExecuteStmt, source: Source): Control | Refusal {
  const { name = '', params = [] } = statement;
  const { calls, unclear, refusal } = collectUses(params, source);
  if (refusal) return refusal;
  const ranges = params.length > 0 ? argumentRanges(scanTokens(source.text)) : [];
  if (ranges.length !== params.length) return unknownElement('EXECUTE');
  return { kind: 'control', action: { type: 'execute', name, arguments: ranges, calls, unclear } };
}

/** DEALLOCATE is passed on; null stands for ALL. */
export function classifyDeallocate({ name }: DeallocateStmt): Control {
  return { kind: 'control', action: { type: 'deallocate', name: name ?? null } };
}

/** The first AS outside of parentheses, and the body behind it; within these it may be a part of a type's name. */
function bodyKeyword(tokens: readonly ScanToken[]): { start: number; body: number } | undefined {
  let depth = 0;
  const keyword = tokens.findIndex(({ text, keywordKind }) => {
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    return depth === 0 && keywordKind !== 0 && text.toLowerCase() === 'as';
  });
  const as = tokens[keyword];
  const first = tokens[keyword + 1];
  return as && first && { start: as.start, body: first.start };
}

/** The ranges between the commas of the outermost parentheses. */
function argumentRanges(tokens: readonly ScanToken[]): ByteRange[] {
  const ranges: ByteRange[] = [];
  let depth = 0;
  let first: ScanToken | null = null;
  let last: ScanToken | null = null;
  for (const token of tokens) {
    if (token.text === ')' || token.text === ']') depth -= 1;
    const isEnd = depth === (token.text === ',' ? 1 : 0);
    if (isEnd && first && last) {
      ranges.push({ start: first.start, end: last.end });
      first = null;
    } else if (depth > 0) {
      first ??= token;
      last = token;
    }
    if (token.text === '(' || token.text === '[') depth += 1;
  }
  return ranges;
}
