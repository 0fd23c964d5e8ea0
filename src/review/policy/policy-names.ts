/** The names of a policy document: each must mean something, or the rule would hold for nothing in silence. */
import type { Queryable } from '../../db/database.ts';
import { personOf } from '../../model/access.ts';
import type { PolicyDocument, Rule } from './document.ts';
import { guessOf, invalidPolicy, mostFaults } from './document.ts';
import { namesOf } from './evaluate.ts';

/** The persons of tokens, with whether one of theirs may approve, and the projects of tokens. */
export interface People {
  /** No token is required: everybody may do everything, and nobody has a name. */
  readonly isOpen: boolean;
  readonly names: ReadonlyMap<string, { readonly approves: boolean }>;
  readonly projects: readonly string[];
  /** Whether the configuration demands four eyes. */
  readonly fourEyes: boolean;
}

const selectTables = `
SELECT c.oid, n.nspname AS schema, c.relname AS name, c.relkind AS kind, c.relispartition AS is_partition,
  (SELECT jsonb_agg(a.attname) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v') AND NOT stage.is_internal_schema(n.oid) AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND n.nspname !~ '^pg_(toast|temp)'`;

const selectProjects = 'SELECT DISTINCT s.project_id FROM stage.session s';

interface KnownTable {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly kind: string;
  readonly isPartition: boolean;
  readonly columns: readonly string[];
}

/**
 * Returns the OIDs of the tables that the names of a document mean, by these names.
 * @throws StageError `invalid_request` with the place of each name that means nothing, and the nearest one that does
 */
export async function oidsOf(
  tx: Queryable,
  { rules }: PolicyDocument,
  people: People,
): Promise<Record<string, number[]>> {
  const tables = indexOf((await tx.query(selectTables)).map(knownTable));
  const found = await tx.query(selectProjects);
  const projects = ['default', ...people.projects, ...found.map((row) => row['project_id'] ?? '')];
  const faults: string[] = [];
  for (const fault of faultsIn(rules, { tables, people, projects: new Set(projects) })) {
    faults.push(fault);
    // guard: a document costs no more than its first faults
    if (faults.length === mostFaults) break;
  }
  // guard: a name that means nothing is no name of a policy
  if (faults.length > 0) throw invalidPolicy(faults);
  const patterns = rules.flatMap((rule) => rule.tables ?? []);
  return Object.fromEntries(
    patterns.map((pattern) => [pattern, meantBy(pattern, tables).map(({ oid }) => oid)]),
  );
}

interface Known {
  readonly tables: TableIndex;
  readonly people: People;
  readonly projects: ReadonlySet<string>;
}

/** Tables by the names that a document may use for them. */
type TableIndex = ReadonlyMap<string, readonly KnownTable[]>;

function indexOf(tables: readonly KnownTable[]): TableIndex {
  const index = new Map<string, KnownTable[]>();
  for (const table of tables)
    for (const name of new Set(namesOf(table.schema, table.name))) {
      const named = index.get(name);
      if (named === undefined) index.set(name, [table]);
      else named.push(table);
    }
  return index;
}

function* faultsIn(rules: readonly Rule[], known: Known): Generator<string> {
  for (const [index, rule] of rules.entries()) {
    const faults = [
      faultsOfProjects,
      faultsOfTables,
      faultsOfColumns,
      faultsOfBudget,
      faultsOfPeople,
    ];
    for (const find of faults)
      for (const fault of find(rule, known)) yield `rules[${index}].${fault}`;
  }
}

function knownTable(row: { readonly [column: string]: string | null }): KnownTable {
  return {
    oid: Number(row['oid']),
    schema: String(row['schema']),
    name: String(row['name']),
    kind: String(row['kind']),
    isPartition: row['is_partition'] === 't',
    columns: JSON.parse(row['columns'] ?? '[]') as string[],
  };
}

/** Returns the tables that a pattern means. Partitions and views have no staged rows of their own. */
function meantBy(pattern: string, tables: TableIndex): KnownTable[] {
  const named = tables.get(pattern) ?? [];
  return named.filter(({ kind, isPartition }) => kind !== 'v' && !isPartition);
}

function* faultsOfProjects({ projects = [] }: Rule, { projects: known }: Known): Generator<string> {
  for (const [index, project] of projects.entries())
    if (!known.has(project))
      yield `projects[${index}]: there is no project ${quoted(project)}${guess(project, known)}`;
}

function* faultsOfTables({ tables: patterns = [] }: Rule, { tables }: Known): Generator<string> {
  for (const [index, pattern] of patterns.entries()) {
    if (meantBy(pattern, tables).length > 0) continue;
    const [named] = tables.get(pattern) ?? [];
    const kind = named?.kind === 'v' ? 'a view' : 'a partition';
    yield named === undefined
      ? `tables[${index}]: there is no table ${quoted(pattern)}${guess(pattern, tables.keys())}`
      : `tables[${index}]: ${quoted(pattern)} is ${kind}: name the table that stores its rows`;
  }
}

function* faultsOfColumns(rule: Rule, { tables }: Known): Generator<string> {
  const { tables: patterns = [], deny_columns: columns = [] } = rule;
  if (columns.length === 0) return;
  const meant = patterns.flatMap((pattern) => meantBy(pattern, tables));
  const known = new Set(meant.flatMap((table) => table.columns));
  for (const [index, column] of columns.entries())
    if (!known.has(column))
      yield `deny_columns[${index}]: there is no column ${quoted(column)}${guess(column, known)}`;
}

function* faultsOfBudget({ budget }: Rule, { people }: Known): Generator<string> {
  if (budget === undefined) return;
  // guard: budgets are refused where tokens have no names
  if (people.isOpen) yield 'budget: no token is required here, so no author has a name';
  if (people.isOpen) return;
  for (const [index, who] of (budget.of ?? []).entries())
    if (!people.names.has(personOf(who)))
      yield `budget.of[${index}]: no token has the name ${quoted(who)}${guess(who, people.names.keys())}`;
}

function* faultsOfPeople(rule: Rule, { people }: Known): Generator<string> {
  const { approvals, break_glass: breakers, auto_approve: auto } = rule;
  // guard: the policy does not approve where the configuration demands four eyes
  if (auto && people.fourEyes) yield 'auto_approve: the configuration demands four eyes';
  const counted = [...(approvals ? ['approvals'] : []), ...(breakers ? ['break_glass'] : [])];
  // guard: approvals are not counted where tokens have no names
  if (people.isOpen) yield* counted.map((key) => `${key}: ${nameless}`);
  if (people.isOpen) return;
  yield* faultsOfNames('approvals.from', approvals?.from ?? [], people);
  yield* faultsOfNames('break_glass', breakers ?? [], people);
}

const nameless = 'no token is required here, so nobody who agrees has a name';

function* faultsOfNames(
  key: 'approvals.from' | 'break_glass',
  given: readonly string[],
  { names }: People,
): Generator<string> {
  for (const [index, who] of given.entries()) {
    const place = `${key}[${index}]`;
    if (who.startsWith('role:') && key === 'approvals.from') continue;
    const known = names.get(personOf(who));
    if (known === undefined)
      yield `${place}: no token has the name ${quoted(who)}${guess(who, names.keys())}`;
    else if (!known.approves) yield `${place}: no token of ${quoted(who)} may approve`;
  }
}

const quoted = (name: string) => JSON.stringify(name);

/** The maximum number of names that are all compared. Of a longer list only names of about the same length are compared. */
const mostCompared = 500;

function guess(name: string, names: Iterable<string>): string {
  const all = [...names];
  const isSimilar = (other: string) => Math.abs(other.length - name.length) <= 3;
  const meant = guessOf(name, all.length > mostCompared ? all.filter(isSimilar) : all);
  return meant === null ? '' : `; did you mean ${quoted(meant)}?`;
}
