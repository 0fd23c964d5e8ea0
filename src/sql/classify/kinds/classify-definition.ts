/**
 * Classifies commands that define temporary tables. They run only for temporary tables of the connection: the text that is sent
 * qualifies their targets with pg_temp.
 * https://www.postgresql.org/docs/current/sql-createtable.html
 */
import type {
  AlterTableStmt,
  CreateStmt,
  DropStmt,
  IndexStmt,
  Node,
  RangeVar,
  RenameStmt,
  VacuumStmt,
} from 'libpg-query';
import { namedTypes } from '../../functions/call-uses.ts';
import { readName, skipSpace } from '../../parser/identifier-reader.ts';
import { textsOf } from '../../parser/syntax-tree.ts';
import { Tokens } from '../../parser/tokens.ts';
import type { RelationUse } from '../../places.ts';
import type { Refusal } from '../../refusal.ts';
import type { DefinitionWrite } from '../../write.ts';
import type { Parts } from '../definition-parts.ts';
import {
  joinParts,
  noParts,
  partsOfCommand,
  partsOfTable,
  unknownPart,
} from '../definition-parts.ts';
import { plainDefinition } from '../plain-verdicts.ts';
import { collectUses } from '../query-uses.ts';
import { refuse } from '../refusal.ts';
import { refusedTarget, unreadableName } from '../refused-parts.ts';
import { refusedStatement } from '../refused-statements.ts';
import type { Source } from '../relation-uses.ts';
import { isSameName, locateRelation } from '../relation-uses.ts';
import { isTemporaryName } from '../reserved-schemas.ts';

type Verdict = DefinitionWrite | Refusal;

const ofPermanent = refuse(
  'a temporary table cannot be a child or a partition of a permanent one in a staged session',
  'Leave INHERITS out, and copy the columns by LIKE.',
);

const refersToPermanent = refuse(
  'constraints on temporary tables may reference only temporary tables',
  'Leave the foreign key out.',
  '42P16',
);

/** Classifies CREATE TEMPORARY TABLE, except for CREATE TABLE AS. */
export function classifyCreate(statement: CreateStmt, source: Source): Verdict {
  if (!isTemporaryName(statement.relation)) return refusedStatement('CreateStmt', statement);
  const parts = partsOfTable(statement);
  if ('kind' in parts) return parts;
  return definition('CREATE TABLE', parts, [], source, {
    created: [statement.relation?.relname ?? ''],
    refusal: statement.inhRelations ? ofPermanent : refersToPermanent,
    // the bounds of a partition
    evaluates: statement.partbound !== undefined,
  });
}

/** Classifies ALTER TABLE. */
export function classifyAlter(statement: AlterTableStmt, source: Source): Verdict {
  const refusal = refusedStatement('AlterTableStmt', statement);
  if (statement.objtype !== 'OBJECT_TABLE') return refusal;
  const parts = joinParts(
    (statement.cmds ?? []).map((node) =>
      'AlterTableCmd' in node ? partsOfCommand(node.AlterTableCmd) : unknownPart,
    ),
  );
  if ('kind' in parts) return refusal;
  return definition('ALTER TABLE', parts, [statement.relation], source, {
    refusal,
    skipsMissing: statement.missing_ok === true,
    evaluates: true,
  });
}

const renamed = new Set(['OBJECT_TABLE', 'OBJECT_TABCONSTRAINT']);

/** Classifies ALTER TABLE ... RENAME. */
export function classifyRename(statement: RenameStmt, source: Source): Verdict {
  const { renameType = '', relationType, relation, newname = '', missing_ok } = statement;
  const refusal = refusedStatement('RenameStmt', statement);
  const isColumn = renameType === 'OBJECT_COLUMN' && relationType === 'OBJECT_TABLE';
  if (!isColumn && !renamed.has(renameType)) return refusal;
  return definition('ALTER TABLE', noParts, [relation], source, {
    created: isColumn ? [] : [newname],
    refusal,
    skipsMissing: missing_ok === true,
  });
}

/** Classifies CREATE INDEX. */
export function classifyIndex(statement: IndexStmt, source: Source): Verdict {
  const { idxname, relation, indexParams = [], whereClause, concurrent } = statement;
  const refusal = refusedStatement('IndexStmt', statement);
  if (concurrent) return refusal;
  const expressions = indexParams.flatMap((node) =>
    'IndexElem' in node && node.IndexElem.expr ? [node.IndexElem.expr] : [],
  );
  if (whereClause) expressions.push(whereClause);
  return definition('CREATE INDEX', { ...noParts, expressions }, [relation], source, {
    created: idxname === undefined ? [] : [idxname],
    refusal,
    evaluates: true,
  });
}

/** Classifies ANALYZE of tables. */
export function classifyAnalyze(statement: VacuumStmt, source: Source): Verdict {
  const { is_vacuumcmd, options, rels = [] } = statement;
  const refusal = refusedStatement('VacuumStmt', statement);
  if (is_vacuumcmd || options || rels.length === 0) return refusal;
  const tables = rels.map((node) =>
    'VacuumRelation' in node ? node.VacuumRelation.relation : undefined,
  );
  return definition('ANALYZE', noParts, tables, source, { refusal, evaluates: true });
}

/** Classifies DROP TABLE. */
export function classifyDrop(statement: DropStmt, source: Source): Verdict {
  const refusal = refusedStatement('DropStmt', statement);
  if (statement.removeType !== 'OBJECT_TABLE') return refusal;
  const targets = locateDropped(statement.objects ?? [], source.text);
  if (targets === null) return unreadableName;
  const skipsMissing = statement.missing_ok === true;
  return definition('DROP TABLE', noParts, targets, source, { refusal, skipsMissing });
}

/** Locates the names that DROP lists. The parse tree does not have their positions. */
function locateDropped(objects: readonly Node[], text: Buffer): RelationUse[] | null {
  const tokens = Tokens.of(text);
  const first = tokens.word(2) === 'if' ? 4 : 2;
  const found: RelationUse[] = [];
  let at = tokens.list[first]?.start ?? text.length;
  for (const [index, object] of objects.entries()) {
    const names = 'List' in object ? textsOf(object.List.items) : [];
    if (index > 0) at = skipSpace(text, at + 1);
    const parts = readName(text, at, names.length);
    if (!parts?.every((part, place) => isSameName(part.name, names[place] ?? ''))) return null;
    const [schema, name] = [names.at(-2) ?? null, names.at(-1)];
    const [start, end] = [(parts.at(-2) ?? parts.at(-1))?.start, parts.at(-1)?.end];
    if (name === undefined || start === undefined || end === undefined) return null;
    found.push({ schema, name, start, end, only: true, target: 'DEFINITION' });
    at = skipSpace(text, end);
  }
  return found;
}

type Particulars = Partial<
  Pick<DefinitionWrite, 'created' | 'refusal' | 'skipsMissing' | 'evaluates'>
>;

/**
 * Returns the verdict on a command.
 * @param targets the tables that it changes
 */
function definition(
  command: string,
  { expressions, types, changed, copied, copiesDefinition, created }: Parts,
  targets: readonly (RangeVar | RelationUse | undefined)[],
  source: Source,
  given: Particulars,
): Verdict {
  const relations = relationsOf([...targets, ...changed], copied, source);
  if ('kind' in relations) return relations;
  const uses = collectUses(expressions, source);
  // PostgreSQL allows no sub-select in any of them
  if (uses.refusal || uses.relations.length > 0) return uses.refusal ?? unknownPart;
  return plainDefinition({
    command,
    ...uses.calls,
    // converting to a built-in type runs users' code only if the value is of a user's type
    types: [...uses.calls.types, ...namedTypes(types)].filter(
      ({ schema }) => schema !== 'pg_catalog',
    ),
    unclear: uses.unclear,
    relations,
    copiesDefinition,
    ...given,
    // guard: indexes get the names of the constraints that they are for
    created: [...(given.created ?? []), ...created],
  });
}

/** Returns the tables that it changes and those that it copies, in text order. */
function relationsOf(
  targets: readonly (RangeVar | RelationUse | undefined)[],
  copied: readonly RangeVar[],
  source: Source,
): readonly RelationUse[] | Refusal {
  const uses = [
    ...targets.map((each) => (each && 'target' in each ? each : locateTarget(each, source))),
    ...copied.map((each) => locateRelation(each, source, null)),
  ];
  const found = uses.filter((use) => use !== null);
  if (found.length < uses.length) return unreadableName;
  const refusals = found.map(({ target, schema, name }) =>
    target === null ? null : refusedTarget(schema ?? '', name),
  );
  return (
    refusals.find((refusal) => refusal !== null) ??
    found.sort((one, other) => one.start - other.start)
  );
}

function locateTarget(range: RangeVar | undefined, source: Source): RelationUse | null {
  return range ? locateRelation(range, source, 'DEFINITION') : null;
}
