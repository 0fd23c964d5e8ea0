/** Classifies CREATE TEMPORARY TABLE ... AS, and SELECT ... INTO TEMPORARY, which is rewritten to it. */
import type { CreateTableAsStmt, Node, SelectStmt } from 'libpg-query';
import { Tokens } from '../../parser/tokens.ts';
import type { Refusal } from '../../refusal.ts';
import type { Replacement } from '../../splice.ts';
import type { DefinitionWrite } from '../../write.ts';
import { plainDefinition } from '../plain-verdicts.ts';
import { collectUses } from '../query-uses.ts';
import { refuse } from '../refusal.ts';
import { selectInto, unreadableName } from '../refused-parts.ts';
import { refusedStatement } from '../refused-statements.ts';
import type { Source } from '../relation-uses.ts';
import { locateRelation } from '../relation-uses.ts';
import { isTemporaryName } from '../reserved-schemas.ts';
import { classifyRead } from './classify-query.ts';

const writingQuery = refuse(
  'a temporary table cannot be made of a query that writes, or draws numbers from a sequence',
  'Create the table first, and fill it by INSERT.',
);

const ofPrepared = refuse(
  'CREATE TEMPORARY TABLE ... AS EXECUTE cannot be run in a staged session',
  'Write the query in the place of EXECUTE.',
);

/** Classifies CREATE TEMPORARY TABLE ... AS. */
export function classifyCreateAs(
  statement: CreateTableAsStmt,
  source: Source,
): DefinitionWrite | Refusal {
  const { into, query, objtype } = statement;
  if (objtype !== 'OBJECT_TABLE' || !isTemporaryName(into?.rel))
    return refusedStatement('CreateTableAsStmt', statement);
  if (!query || 'ExecuteStmt' in query) return ofPrepared;
  const created = into?.rel?.relname ?? '';
  return ofQuery(query, created, [], into?.skipData ? null : withoutData(source.text), source);
}

/** Returns the replacement that ends the statement with WITH NO DATA. It replaces `WITH DATA` if that is written. */
function withoutData(text: Buffer): Replacement {
  const tokens = Tokens.of(text);
  const last = tokens.length - 1;
  const isWritten = tokens.word(last) === 'data' && tokens.word(last - 1) === 'with';
  const start = isWritten ? (tokens.list[last - 1]?.start ?? text.length) : text.length;
  return { start, end: text.length, text: '\nWITH NO DATA' };
}

/** Classifies SELECT ... INTO TEMPORARY; returns null for a SELECT without that clause at its top level. */
export function classifySelectInto(
  select: SelectStmt,
  source: Source,
): DefinitionWrite | Refusal | null {
  const { intoClause, ...query } = select;
  if (!intoClause?.rel) return null;
  if (!isTemporaryName(intoClause.rel)) return selectInto;
  const { text } = source;
  const table = locateRelation(intoClause.rel, source, null);
  const tokens = Tokens.of(text);
  let at = table ? tokens.from(table.start) : -1;
  while (at >= 0 && tokens.word(at) !== 'into') at -= 1;
  const start = tokens.list[at]?.start;
  if (!table || start === undefined) return unreadableName;
  const name = text.toString('utf8', table.start, table.end);
  const fixed = [
    { start: 0, end: 0, text: `CREATE TEMPORARY TABLE ${name} AS ` },
    { start, end: table.end, text: ' ' },
  ];
  const probe = { start: text.length, end: text.length, text: '\nWITH NO DATA' };
  return ofQuery({ SelectStmt: query }, table.name, fixed, probe, source);
}

function ofQuery(
  query: Node,
  created: string,
  fixed: readonly Replacement[],
  probe: Replacement | null,
  source: Source,
): DefinitionWrite | Refusal {
  const read = classifyRead(query, source, writingQuery);
  if (read.kind === 'refuse') return read;
  const { calls, unclear } = collectUses(query, source);
  return plainDefinition({
    command: 'CREATE TABLE AS',
    ...calls,
    unclear,
    created: [created],
    query: read,
    fixed,
    probe,
  });
}
