/** Rewrites MERGE for servers that cannot merge into a view: a temporary table replaces the target, and is filled before. */
import { StageError } from '../errors.ts';
import { quoteIdentifier } from '../identifier.ts';
import type { Qualifier } from '../sql/places.ts';
import type { Replacement } from '../sql/splice.ts';
import { isSameRange } from '../sql/splice.ts';
import type { Merge, MergeParts, QueryWrite } from '../sql/write.ts';
import type { Assessment } from './called-names.ts';
import type { Named } from './stageable.ts';
import { hasChildren } from './stageable.ts';
import { splicedPart } from './text-part.ts';

/** A MERGE with the temporary table on which it runs. */
interface StagedMerge extends Named {
  readonly merge: Merge;
  readonly table: string;
}

/** The statement that fills the temporary table of a MERGE. */
export interface MergeFill {
  /** The OID of the production table. */
  readonly relation: number;
  /** Copies the rows that may match. It takes the client's parameters. */
  readonly text: string;
}

/**
 * Returns the MERGE that runs on a temporary table; null if it runs on the overlay, or if there is none.
 * @throws StageError for a MERGE that cannot be staged
 */
export function findMerge({ merges }: QueryWrite, named: readonly Named[]): StagedMerge | null {
  const [merge] = merges;
  const target = named.find(({ use }) => use.start === merge?.target);
  if (!merge || !target?.meaning.merge) return null;
  if (hasChildren(target)) throw intoTree;
  if (named.some(({ use }) => use.target !== null && use !== target.use)) throw writesBeside;
  return { ...target, merge, table: target.meaning.merge };
}

/** Returns the replacement of the target by the temporary table, with the alias that the statement uses. */
function mergeTarget({ use, merge, table }: StagedMerge): Replacement {
  const alias = merge.alias === null ? ` AS ${quoteIdentifier(use.name)}` : '';
  return { start: use.start, end: use.end, text: `pg_temp.${quoteIdentifier(table)}${alias}` };
}

/**
 * Returns the statement that fills the table with the rows that may match: those that match now, or all rows if a second evaluation may
 * match others.
 * @param replacements those of the statement, with the overlays' names
 * @param assessment of the calls that decide which rows match
 * @throws StageError for a MERGE whose text cannot be parsed
 */
export function mergeFill(
  { merge, meaning, table, use }: StagedMerge,
  replacements: readonly Replacement[],
  { isVolatile }: Pick<Assessment, 'isVolatile'>,
): MergeFill {
  if (merge.parts === null) throw unclear;
  const alias = quoteIdentifier(merge.alias ?? use.name);
  const all = `SELECT ${alias}.* FROM ${splicedPart(merge.parts.target, replacements)}`;
  const query = merge.samples || isVolatile ? all : matchingRows(merge.parts, alias, replacements);
  const text = `INSERT INTO pg_temp.${quoteIdentifier(table)} ${query}`;
  return { relation: meaning.oid as number, text };
}

/** Returns a query for the matching rows. Each part is followed by a line break, because it may end in a comment. */
function matchingRows(
  { ctes, target, source, condition }: MergeParts,
  alias: string,
  replacements: readonly Replacement[],
): string {
  const [from, using, on] = [target, source, condition].map((part) =>
    splicedPart(part, replacements),
  );
  const before = ctes === null ? '' : splicedPart(ctes, replacements);
  return `${before}
SELECT ${alias}.* FROM ${from}
WHERE EXISTS (SELECT FROM ${using}
WHERE ${on}
)`;
}

const unclear = new StageError(
  'statement_not_supported',
  'the MERGE of this statement is written in a way the proxy cannot read',
  { hint: 'Put its source and its condition in parentheses.' },
);

const intoTree = new StageError(
  'statement_not_supported',
  'MERGE into a table with children cannot be staged on this version of PostgreSQL',
  { hint: 'Use UPDATE, DELETE and INSERT, or merge into ONLY the table.' },
);

const writesBeside = new StageError(
  'statement_not_supported',
  'MERGE with a data-modifying statement in WITH cannot be staged on this version of PostgreSQL',
  { hint: 'Send the two as separate statements in one transaction.' },
);

/** Redirects a statement's replacements to the temporary table. Columns lose their schema, which it does not have. */
export function mergedInto(
  merge: StagedMerge,
  qualifiers: readonly Qualifier[],
  replacements: readonly Replacement[],
): Replacement[] {
  const target = mergeTarget(merge);
  const own = qualifiers.filter(
    ({ name }) => merge.merge.alias === null && name === merge.use.name,
  );
  return replacements.map((each) => {
    if (each.start === target.start) return target;
    return own.some((qualifier) => isSameRange(qualifier, each)) ? { ...each, text: '' } : each;
  });
}
