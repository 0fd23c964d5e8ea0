/** Classifies texts in tests, and returns verdicts as words for a table of cases. */

import { parseQuery } from '../../src/sql/classify/parse-query.ts';
import type { Read } from '../../src/sql/read.ts';
import type { Refusal } from '../../src/sql/refusal.ts';
import type { ByteRange } from '../../src/sql/splice.ts';
import type { Statement, Verdict } from '../../src/sql/verdict.ts';
import type { QueryWrite, Write } from '../../src/sql/write.ts';

/** Returns the statements of a query string. */
export function statements(sql: string): readonly Statement[] {
  return parseQuery(Buffer.from(sql));
}

/** Returns the only statement of a query string. */
export function onlyStatement(sql: string): Statement {
  const [statement, ...more] = statements(sql);
  if (!statement || more.length > 0) throw new Error(`${more.length + 1} statements in ${sql}`);
  return statement;
}

export function verdictOf(sql: string): Verdict {
  return onlyStatement(sql).verdict;
}

/** Returns the refusal of a text, which must be refused. */
export function refusalOf(sql: string): Refusal {
  const verdict = verdictOf(sql);
  // Unless it is one of temporary tables.
  if (verdict.kind === 'write' && verdict.form === 'definition') return verdict.refusal;
  if (verdict.kind !== 'refuse') throw new Error(`${verdict.kind} instead of a refusal: ${sql}`);
  return verdict;
}

/** Returns `read`, `write`, `refuse 0A000` or the type of a control. */
export function summaryOf(verdict: Verdict): string {
  if (verdict.kind === 'refuse') return `refuse ${verdict.sqlstate}`;
  return verdict.kind === 'control' ? verdict.action.type : verdict.kind;
}

/** Returns the verdict itself, or the body of PREPARE and DECLARE. */
function bodyIn(verdict: Verdict): Read | Write {
  if (verdict.kind === 'read' || verdict.kind === 'write') return verdict;
  if (verdict.kind === 'control' && 'body' in verdict.action) return verdict.action.body;
  throw new Error(`no query in a ${summaryOf(verdict)}`);
}

/** Returns the same for a text that must be a query. */
export function queryIn(verdict: Verdict): Read | QueryWrite {
  const body = bodyIn(verdict);
  if (body.kind === 'write' && body.form !== 'query') throw new Error(`a ${body.form} is no query`);
  return body;
}

/** Returns relations as `[TARGET ][only ]schema.name=text of the range`. */
export function relationsOf(sql: string): string[] {
  const { text, verdict } = onlyStatement(sql);
  return bodyIn(verdict).relations.map((relation) => {
    const target = relation.target ? `${relation.target} ` : '';
    const only = relation.only ? 'only ' : '';
    const schema = relation.schema === null ? '' : `${relation.schema}.`;
    return `${target}${only}${schema}${relation.name}=${slice(text, relation)}`;
  });
}

/** Returns the text of a range. */
export function slice(text: Buffer, { start, end }: ByteRange): string {
  return text.toString('utf8', start, end);
}
