/** Extracts the parts of a table's definition: expressions, types, and other tables that it changes or copies. */
import type { AlterTableCmd, ColumnDef, Constraint, CreateStmt, Node, RangeVar } from 'libpg-query';
import type { Refusal } from '../refusal.ts';
import { refuse } from './refusal.ts';

export interface Parts {
  readonly expressions: readonly Node[];
  /** Nodes of type names. */
  readonly types: readonly Node[];
  /** Other tables that it changes, by a foreign key or as parents. */
  readonly changed: readonly RangeVar[];
  /** Tables whose columns it copies. `copiesDefinition` is set if it copies more than that. */
  readonly copied: readonly RangeVar[];
  readonly copiesDefinition: boolean;
  /** The names of constraints, which are also those of their indexes. */
  readonly created: readonly string[];
}

export const unknownPart = refuse(
  'this part of the definition of a temporary table is not supported in a staged session',
  'A temporary table takes columns, defaults, identity and generated columns, checks, keys, LIKE, indexes and partitions.',
);

export const noParts: Parts = {
  expressions: [],
  types: [],
  changed: [],
  copied: [],
  copiesDefinition: false,
  created: [],
};

/** Returns the parts of a CREATE TABLE, or a refusal if a part is unknown. */
export function partsOfTable(statement: CreateStmt): Parts | Refusal {
  const { tableElts = [], constraints = [], inhRelations = [], accessMethod } = statement;
  if (statement.ofTypename || (accessMethod !== undefined && accessMethod !== 'heap'))
    return unknownPart;
  const parents = inhRelations.flatMap((node) => ('RangeVar' in node ? [node.RangeVar] : []));
  const { listdatums = [], lowerdatums = [], upperdatums = [] } = statement.partbound ?? {};
  const keys = statement.partspec?.partParams ?? [];
  const expressions = [
    ...[listdatums, lowerdatums, upperdatums].flat(),
    ...keys.flatMap((node) =>
      'PartitionElem' in node && node.PartitionElem.expr ? [node.PartitionElem.expr] : [],
    ),
  ];
  return joinParts([
    { ...noParts, changed: parents, expressions },
    ...[...tableElts, ...constraints].map(partsOfElement),
  ]);
}

/** The kind of node in a command of ALTER TABLE, besides names. */
const commands: ReadonlyMap<string, 'column' | 'type' | 'constraint' | 'expression' | 'nothing'> =
  new Map([
    ['AT_AddColumn', 'column'],
    ['AT_AlterColumnType', 'type'],
    ['AT_AddConstraint', 'constraint'],
    ['AT_AddIdentity', 'constraint'],
    ['AT_ColumnDefault', 'expression'],
    ['AT_DropColumn', 'nothing'],
    ['AT_DropConstraint', 'nothing'],
    ['AT_DropExpression', 'nothing'],
    ['AT_DropIdentity', 'nothing'],
    ['AT_DropNotNull', 'nothing'],
    ['AT_SetIdentity', 'nothing'],
    ['AT_SetNotNull', 'nothing'],
    ['AT_SetStatistics', 'nothing'],
    ['AT_ValidateConstraint', 'nothing'],
  ]);

/** Returns the parts of a command of ALTER TABLE, or a refusal if it is unknown. */
export function partsOfCommand({ subtype, def }: AlterTableCmd): Parts | Refusal {
  switch (commands.get(subtype ?? '')) {
    case 'column':
    case 'type':
    case 'constraint':
      return def ? partsOfElement(def) : unknownPart;
    case 'expression':
      return { ...noParts, expressions: def ? [def] : [] };
    case 'nothing':
      return noParts;
    default:
      return unknownPart;
  }
}

function partsOfElement(node: Node): Parts | Refusal {
  if ('ColumnDef' in node) return partsOfColumn(node.ColumnDef);
  if ('Constraint' in node) return partsOfConstraint(node.Constraint);
  if (!('TableLikeClause' in node)) return unknownPart;
  const { relation, options = 0 } = node.TableLikeClause;
  if (!relation) return unknownPart;
  return { ...noParts, copied: [relation], copiesDefinition: options !== 0 };
}

function partsOfColumn({ typeName, constraints = [], raw_default }: ColumnDef): Parts | Refusal {
  const own = {
    ...noParts,
    types: typeName ? [{ TypeName: typeName }] : [],
    expressions: raw_default ? [raw_default] : [],
  };
  return joinParts([own, ...constraints.map(partsOfElement)]);
}

const constraints = new Set(
  ['NULL', 'NOTNULL', 'DEFAULT', 'IDENTITY', 'GENERATED', 'CHECK', 'PRIMARY', 'UNIQUE', 'FOREIGN']
    .concat(['ATTR_DEFERRABLE', 'ATTR_NOT_DEFERRABLE', 'ATTR_DEFERRED', 'ATTR_IMMEDIATE'])
    .concat(['ATTR_ENFORCED', 'ATTR_NOT_ENFORCED'])
    .map((name) => `CONSTR_${name}`),
);

function partsOfConstraint({ contype, conname, raw_expr, pktable }: Constraint): Parts | Refusal {
  if (!constraints.has(contype ?? '')) return unknownPart;
  return {
    ...noParts,
    expressions: raw_expr ? [raw_expr] : [],
    changed: pktable ? [pktable] : [],
    created: conname === undefined ? [] : [conname],
  };
}

/** Joins parts, or returns the first refusal. */
export function joinParts(all: readonly (Parts | Refusal)[]): Parts | Refusal {
  const parts: Parts[] = [];
  for (const each of all) {
    if ('kind' in each) return each;
    parts.push(each);
  }
  return {
    expressions: parts.flatMap(({ expressions }) => expressions),
    types: parts.flatMap(({ types }) => types),
    changed: parts.flatMap(({ changed }) => changed),
    created: parts.flatMap(({ created }) => created),
    copied: parts.flatMap(({ copied }) => copied),
    copiesDefinition: parts.some(({ copiesDefinition }) => copiesDefinition),
  };
}
