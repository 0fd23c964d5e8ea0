/** The names of a policy document: each must mean something, or the rule would hold for nothing in silence. */
import type { Queryable } from '../../db/database.ts';
import { shownName } from '../../model/table.ts';
import { nearest } from '../../nearest.ts';
import type { PolicyDocument, Rule } from './document.ts';
import { invalidPolicy } from './document.ts';
import { matches } from './evaluate.ts';

/** Names of tokens, with whether one of that name may approve, and the projects of tokens. */
export interface People {
  /** No token is required: everybody may do everything, and nobody has a name. */
  readonly isOpen: boolean;
  readonly names: ReadonlyMap<string, { readonly approves: boolean }>;
  readonly projects: readonly string[];
}

const selectTables = `
SELECT c.oid, n.nspname AS schema, c.relname AS name, c.relkind AS kind, c.relispartition AS is_partition,
  (SELECT jsonb_agg(a.attname) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v') AND NOT stage.is_own_schema(n.oid) AND n.nspname NOT IN ('pg_catalog', 'information_schema')
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
  const tables = (await tx.query(selectTables)).map(knownTable);
  const found = await tx.query(selectProjects);
  const projects = ['default', ...people.projects, ...found.map((row) => row['project_id'] ?? '')];
  const faults = rules.flatMap((rule, index) =>
    [
      ...faultsOfProjects(rule, projects),
      ...faultsOfTables(rule, tables),
      ...faultsOfColumns(rule, tables),
      ...faultsOfPeople(rule, people),
    ].map((fault) => `rules[${index}].${fault}`),
  );
  // guard: a name that means nothing is no name of a policy
  if (faults.length > 0) throw invalidPolicy(faults);
  const patterns = rules.flatMap((rule) => rule.tables ?? []);
  return Object.fromEntries(
    patterns.map((pattern) => [pattern, meantBy(pattern, tables).map(({ oid }) => oid)]),
  );
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

/** Partitions and views have no staged rows of their own. */
function meantBy(pattern: string, tables: readonly KnownTable[]): KnownTable[] {
  const named = tables.filter(({ schema, name }) => matches(pattern, schema, name));
  return named.filter(({ kind, isPartition }) => kind !== 'v' && !isPartition);
}

function faultsOfProjects({ projects = [] }: Rule, known: readonly string[]): string[] {
  return projects.flatMap((project, index) =>
    known.includes(project)
      ? []
      : [`projects[${index}]: there is no project ${quoted(project)}${guess(project, known)}`],
  );
}

function faultsOfTables({ tables: patterns = [] }: Rule, tables: readonly KnownTable[]): string[] {
  return patterns.flatMap((pattern, index) => {
    if (meantBy(pattern, tables).length > 0) return [];
    const named = tables.find(({ schema, name }) => matches(pattern, schema, name));
    const what = named?.kind === 'v' ? 'a view' : 'a partition';
    const names = tables.map(({ schema, name }) => shownName(schema, name));
    return named === undefined
      ? [`tables[${index}]: there is no table ${quoted(pattern)}${guess(pattern, names)}`]
      : [`tables[${index}]: ${quoted(pattern)} is ${what}: name the table that stores its rows`];
  });
}

function faultsOfColumns(rule: Rule, tables: readonly KnownTable[]): string[] {
  const { tables: patterns = [], deny_columns: columns = [] } = rule;
  const meant = patterns.flatMap((pattern) => meantBy(pattern, tables));
  const known = meant.flatMap((table) => table.columns);
  return columns.flatMap((column, index) =>
    known.includes(column)
      ? []
      : [`deny_columns[${index}]: there is no column ${quoted(column)}${guess(column, known)}`],
  );
}

function faultsOfPeople({ approvals }: Rule, { isOpen, names }: People): string[] {
  if (approvals === undefined) return [];
  // guard: where nobody has a name nobody can be counted
  if (isOpen) return ['approvals: no token is required here, so nobody who agrees has a name'];
  return (approvals.from ?? []).flatMap((who, index) => {
    if (who.startsWith('role:')) return [];
    const place = `approvals.from[${index}]`;
    const known = names.get(who);
    if (known === undefined)
      return [`${place}: no token has the name ${quoted(who)}${guess(who, [...names.keys()])}`];
    return known.approves ? [] : [`${place}: no token of ${quoted(who)} may approve`];
  });
}

const quoted = (name: string) => JSON.stringify(name);

function guess(name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  return meant === null ? '' : `; did you mean ${quoted(meant)}?`;
}
