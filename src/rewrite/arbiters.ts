/** Determines the unique indexes of a write's ON CONFLICT clauses: by their text, or by what PostgreSQL's planner infers. */
import { StageError } from '../errors.ts';
import type { InternalStatement, ServerQuery } from '../server-connection/internal-statement.ts';
import { inferArbiters } from '../sql/locate/arbiters.ts';
import { columnShape } from '../sql/locate/upserts.ts';
import type { Arbiter, Right, Upsert, Write } from '../sql/write.ts';
import type { ResolvedName } from './resolved-name.ts';
import type { Named } from './stageable.ts';
import { meaningAt } from './stageable.ts';
import { stagedPart } from './temporary.ts';

/** The names of the indexes that each clause considers; null for all indexes. */
export type Arbiters = ReadonlyMap<Upsert, readonly string[] | null>;

const none = { upserts: [], rights: [] };

const inferByPlan: InternalStatement = { text: 'SELECT stage.infer_arbiters($1, $2, $3)' };

/**
 * Finds the indexes of each clause.
 * @returns null if a clause is an error, which PostgreSQL reports best for the client's own text
 * @throws StageError for a clause whose indexes cannot be inferred
 */
export async function findArbiters(
  write: Write,
  named: readonly Named[],
  query: ServerQuery,
): Promise<Arbiters | null> {
  const { upserts, rights } = write.form === 'query' ? stagedPart(write, named) : none;
  const found = new Map<Upsert, readonly string[] | null>();
  for (const upsert of upserts) {
    const meaning = meaningAt(named, upsert.target);
    if (setsUnknown(rights, upsert, meaning)) return null;
    const indexes = await arbitersOf(upsert, meaning, query);
    if (indexes?.length === 0 || usesExclusion(upsert, meaning, indexes)) return null;
    found.set(upsert, indexes);
  }
  return found;
}

/** Returns the index names of one clause; an empty list if no index matches. */
async function arbitersOf(
  { arbiter }: Upsert,
  meaning: ResolvedName,
  query: ServerQuery,
): Promise<readonly string[] | null> {
  const { uniques } = meaning;
  const byWords = inferArbiters(inTable(arbiter, meaning), uniques);
  if (byWords?.length !== 0 || arbiter.kind !== 'index') return byWords;
  // a parameter has no value yet, and its value may decide whether an index matches
  if (arbiter.words.parameters.length > 0) throw unclearArbiter;
  const alias = arbiter.alias === null ? null : Buffer.from(arbiter.alias);
  const values = [Buffer.from(String(meaning.oid)), arbiter.words.text, alias];
  const [row] = await query(inferByPlan, values);
  const inferred = row?.[0] && (JSON.parse(row[0].toString()) as string[]);
  if (!inferred) return [];
  const isKnown = inferred.every((name) => uniques.some((unique) => unique.name === name));
  if (!isKnown || inferred.length === 0) throw unclearArbiter;
  return inferred;
}

/** Translates an arbiter from a view to the table behind it, where columns may have other names. A view has no constraints. */
function inTable(arbiter: Arbiter, { tableColumns }: ResolvedName): Arbiter {
  if (tableColumns === null || arbiter.kind === 'any') return arbiter;
  if (arbiter.kind === 'constraint') return { kind: 'constraint', name: '' };
  const shapes = new Map(
    Object.entries(tableColumns).map(([name, column]) => [columnShape(name), columnShape(column)]),
  );
  return { ...arbiter, elements: arbiter.elements.map((shape) => shapes.get(shape) ?? shape) };
}

const unclearArbiter = new StageError(
  'statement_not_supported',
  'the proxy cannot infer the index of the ON CONFLICT specification',
  {
    hint: 'For a partial index, or an index over expressions, repeat the words of its definition.',
  },
);

/** Returns whether the clause sets a column of a view that the table does not have. The error must name the view. */
function setsUnknown(
  rights: readonly Right[],
  upsert: Upsert,
  { tableColumns }: ResolvedName,
): boolean {
  if (tableColumns === null) return false;
  const set = rights.filter(
    ({ target, operation }) => target === upsert.target && operation === 'UPDATE',
  );
  return set.some(({ columns }) => columns?.some((name) => !(name in tableColumns)));
}

/** Returns whether DO UPDATE would use an exclusion constraint, which PostgreSQL does not allow. */
function usesExclusion(
  { set }: Upsert,
  { uniques }: ResolvedName,
  indexes: readonly string[] | null,
): boolean {
  if (set === null || indexes === null) return false;
  return uniques.some(({ name, kind }) => kind === 'exclusion' && indexes.includes(name));
}
