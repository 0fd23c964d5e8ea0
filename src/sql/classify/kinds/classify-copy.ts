/** Classifies COPY. */

import type { ColumnRef, CopyStmt } from 'libpg-query';
import { readName, skipSpace } from '../../parser/identifier-reader.ts';
import { collectNodes, textsOf } from '../../parser/syntax-tree.ts';
import { Tokens } from '../../parser/tokens.ts';
import type { RelationUse } from '../../places.ts';
import type { CopySource, Read } from '../../read.ts';
import type { Refusal } from '../../refusal.ts';
import type { CopyWrite } from '../../write.ts';
import { plainRead } from '../plain-verdicts.ts';
import { collectUses } from '../query-uses.ts';
import { refuse } from '../refusal.ts';
import { refusedTarget, unreadableName } from '../refused-parts.ts';
import type { Source } from '../relation-uses.ts';
import { locateRelation } from '../relation-uses.ts';
import { classifyRead } from './classify-query.ts';

const onServer = refuse(
  'COPY to or from a file or program of the server is not supported in a staged session',
  'Use COPY ... FROM STDIN or TO STDOUT (\\copy in psql), which reads and writes on the side of the client.',
);

const writingCopy = refuse(
  'COPY of a statement that writes is not supported in a staged session',
  'Run the statement with RETURNING, without COPY.',
);

const freeze = refuse(
  'COPY FREEZE is not supported in a staged session',
  'Leave FREEZE out: rows are frozen in production, not where they are staged.',
);

/** Classifies a COPY. Only COPY of a table or a read to the client, and COPY of a table from the client may run. */
export function classifyCopy(statement: CopyStmt, source: Source): Read | CopyWrite | Refusal {
  if (statement.is_program || statement.filename !== undefined) return onServer;
  if (statement.is_from) return classifyFrom(statement, source);
  if (statement.query) return classifyRead(statement.query, source, writingCopy);
  return classifyTable(statement, source);
}

function classifyFrom(statement: CopyStmt, source: Source): CopyWrite | Refusal {
  const { relation = {}, attlist, whereClause, options = [] } = statement;
  const given = options.map((option) => ('DefElem' in option ? option.DefElem.defname : undefined));
  if (given.includes('freeze')) return freeze;
  const refusal = refusedTarget(relation.schemaname, relation.relname);
  if (refusal) return refusal;
  const target = locateRelation(relation, source, 'INSERT');
  if (!target) return unreadableName;
  const condition = collectUses(whereClause ?? [], source);
  if (condition.refusal) return condition.refusal;
  const { relations, calls, unclear, qualifiers } = condition;
  const columns = attlist ? textsOf(attlist) : null;
  return {
    kind: 'write',
    form: 'copy',
    relations: [target, ...relations],
    ...calls,
    qualifiers,
    rights: [
      {
        target: target.start,
        operation: 'INSERT',
        columns,
        given: [],
        star: null,
        overriding: null,
        reads: [],
        returned: [],
      },
    ],
    unclear,
    columns,
    marksDefaults: given.includes('default'),
    skipsErrors: given.includes('on_error'),
    filters: collectNodes(whereClause, 'ColumnRef').flatMap(nameOf),
    where: whereClause ? whereOf(source.text, target.end) : null,
  };
}

/** Returns the first byte of the WHERE after a table's name: the first one outside of parentheses. */
function whereOf(text: Buffer, from: number): number | null {
  const tokens = Tokens.of(text);
  const behind = tokens.list.findIndex(({ start }) => start >= from);
  return tokens.list[tokens.find(['where'], behind)]?.start ?? null;
}

/** Returns the last part of a column's name, or nothing. */
const nameOf = ({ fields }: ColumnRef) => textsOf(fields).slice(-1);

function classifyTable({ relation = {}, attlist = [] }: CopyStmt, source: Source): Read | Refusal {
  const uses = collectUses({ RangeVar: relation }, source);
  const table = uses.relations[0];
  const copy = table && locateCopySource(source.text, table, attlist.length);
  if (!table || !copy) return uses.refusal ?? unreadableName;
  return plainRead({ relations: [table], unclear: uses.unclear, copy });
}

/** Locates the table's name and the column list after it. */
function locateCopySource(text: Buffer, table: RelationUse, columns: number): CopySource | null {
  if (columns === 0) return { start: table.start, end: table.end, columns: null, names: [] };
  const open = skipSpace(text, table.end);
  const names: string[] = [];
  let end = open;
  for (let column = 0; column < columns; column += 1) {
    const name = readName(text, skipSpace(text, end + 1), 1)?.[0];
    if (!name) return null;
    names.push(name.name);
    end = skipSpace(text, name.end);
  }
  const list = text.toString('utf8', open + 1, end);
  return { start: table.start, end: end + 1, columns: list, names };
}
