/** The verdict on PREPARE, EXECUTE and DEALLOCATE. */
import type { DeallocateStmt, ExecuteStmt, PrepareStmt, ScanToken } from 'libpg-query';
import { judgeQuery } from './judge-query.ts';
import { scanTokens } from './parser.ts';
import { collectUses } from './query-uses.ts';
import { unknownElement } from './refused-parts.ts';
import type { Source } from './relation-uses.ts';
import type { ByteRange, Control, Refusal } from './verdict.ts';

/** Judges a PREPARE by its body. */
export function judgePrepare(statement: PrepareStmt, source: Source): Control | Refusal {
  if (!statement.query) return unknownElement('PREPARE');
  const body = judgeQuery(statement.query, source);
  if (body.kind === 'refuse') return body;
  const bodyRange = { start: bodyStart(scanTokens(source.text)), end: source.text.length };
  return {
    kind: 'control',
    action: { type: 'prepare', name: statement.name ?? '', body, bodyRange },
  };
}

/** Judges an EXECUTE by its arguments; what it runs was judged by PREPARE. */
export function judgeExecute(statement: ExecuteStmt, source: Source): Control | Refusal {
  const { name = '', params = [] } = statement;
  const { functions, refusal } = collectUses(params, source);
  if (refusal) return refusal;
  const ranges = params.length > 0 ? argumentRanges(scanTokens(source.text)) : [];
  if (ranges.length !== params.length) return unknownElement('EXECUTE');
  return { kind: 'control', action: { type: 'execute', name, arguments: ranges, functions } };
}

/** DEALLOCATE is passed on; null stands for ALL. */
export function judgeDeallocate({ name }: DeallocateStmt): Control {
  return { kind: 'control', action: { type: 'deallocate', name: name ?? null } };
}

/** The body begins after the first AS outside of parentheses; within these it may be a part of a type's name. */
function bodyStart(tokens: readonly ScanToken[]): number {
  let depth = 0;
  const keyword = tokens.findIndex(({ text, keywordKind }) => {
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    return depth === 0 && keywordKind !== 0 && text.toLowerCase() === 'as';
  });
  return tokens[keyword + 1]?.start ?? 0;
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
