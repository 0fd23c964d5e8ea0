/** The facts of a session that the policy limits, as the database has them. */
import type { Queryable, Row } from '../../db/database.ts';
import { shownName } from '../../model/table.ts';
import type { Spent } from './budgets.ts';
import { peopleOf, spentBy } from './budgets.ts';
import type { Rule } from './document.ts';
import type { Policy, SessionFacts, StagedTable, TableFacts } from './evaluate.ts';
import { covers, rulesFor } from './evaluate.ts';

const selectSession = `
SELECT s.project_id, to_jsonb(s.earlier_authors || ARRAY[s.created_as, s.proposed_as]) AS authors, extract(epoch FROM s.proposed_at) * 1000 AS proposed_at, extract(epoch FROM clock_timestamp()) * 1000 AS now,
  s.reverts IS NOT NULL OR s.split_from IS NOT NULL
    -- guard: a session from which another one was split is a part, too
    OR EXISTS (SELECT FROM stage.event e WHERE e.session = s.id AND e.kind = 'split') AS derived
FROM stage.session s WHERE s.id = $1`;

const selectFacts = `
SELECT f.relation, to_jsonb(f.lineage) AS lineage, f.names, f.inserts, f.updates, f.deletes, f.row_count
FROM stage.policy_facts($1) f ORDER BY f.relation`;

const selectLargest =
  'SELECT stage.largest_statement($1, ARRAY(SELECT jsonb_array_elements_text($2::jsonb)::oid)) AS rows';

/**
 * Reads the facts of a session from its staged rows. The updated columns are read only where a rule denies some.
 * @param proposer is about to be one of the session's authors
 */
export async function readFacts(
  tx: Queryable,
  uuid: string,
  policy: Policy,
  proposer: string | null = null,
): Promise<SessionFacts> {
  const [session] = await tx.query(selectSession, [uuid]);
  const rows = await tx.query(selectFacts, [uuid]);
  const projectId = session?.['project_id'] ?? '';
  const proposedAt = session?.['proposed_at'] ?? null;
  const tables: TableFacts[] = [];
  for (const row of rows) {
    const table = tableFacts(row);
    const rules = policy.document.rules.filter(
      (rule) => (rule.projects?.includes(projectId) ?? true) && covers(policy, rule, table),
    );
    const columns = rules.flatMap((rule) => rule.deny_columns ?? []);
    const updatedColumns = await updatedOf(tx, uuid, row['relation'] ?? '0', columns);
    tables.push({ ...table, updatedColumns });
  }
  const now = Number(session?.['now']);
  const largestStatements = await largestOf(tx, uuid, policy, { projectId, tables });
  const authors = JSON.parse(session?.['authors'] ?? '[]') as (string | null)[];
  const people = peopleOf([...authors, proposer]);
  const spent = await spentOf(tx, uuid, rulesFor(policy, { projectId, tables }), people);
  const at = { now, proposedAt: proposedAt === null ? null : Number(proposedAt) };
  const isDerived = session?.['derived'] === 't';
  return { projectId, ...at, isDerived, tables, largestStatements, spent };
}

async function spentOf(
  tx: Queryable,
  uuid: string,
  rules: readonly Rule[],
  people: readonly string[],
): Promise<Map<string, readonly Spent[]>> {
  const spent = new Map<string, readonly Spent[]>();
  for (const rule of rules)
    if (rule.budget !== undefined) spent.set(rule.name, await spentBy(tx, uuid, people, rule));
  return spent;
}

async function largestOf(
  tx: Queryable,
  uuid: string,
  policy: Policy,
  staged: Pick<SessionFacts, 'projectId' | 'tables'>,
): Promise<Map<string, number>> {
  const largest = new Map<string, number>();
  for (const rule of rulesFor(policy, staged)) {
    if (rule.max_rows_per_statement === undefined) continue;
    const covered = staged.tables.filter((table) => covers(policy, rule, table));
    // the first of a lineage is the table itself
    const relations = JSON.stringify(covered.map(({ lineage }) => lineage[0]));
    const [row] = await tx.query(selectLargest, [uuid, relations]);
    largest.set(rule.name, Number(row?.['rows'] ?? 0));
  }
  return largest;
}

const selectTables =
  'SELECT to_jsonb(t.lineage) AS lineage, t.names FROM stage.policy_tables($1) t';

/** Reads the tables in which a session staged, without counting its rows. */
export async function readTables(tx: Queryable, uuid: string): Promise<StagedTable[]> {
  return (await tx.query(selectTables, [uuid])).map(stagedTable);
}

function stagedTable(row: Row): StagedTable {
  return {
    names: JSON.parse(row['names'] ?? '[]') as StagedTable['names'],
    lineage: (JSON.parse(row['lineage'] ?? '[]') as (string | number)[]).map(Number),
  };
}

function tableFacts(row: Row): TableFacts {
  const table = stagedTable(row);
  const [own = { schema: '', name: '' }] = table.names;
  return {
    ...table,
    name: shownName(own.schema, own.name),
    changes: {
      insert: Number(row['inserts']),
      update: Number(row['updates']),
      delete: Number(row['deletes']),
    },
    rows: Number(row['row_count']),
    updatedColumns: [],
  };
}

async function updatedOf(
  tx: Queryable,
  uuid: string,
  relation: string,
  columns: readonly string[],
): Promise<string[]> {
  if (columns.length === 0) return [];
  const wanted = [uuid, relation, JSON.stringify(columns)];
  const rows = await tx.query(
    'SELECT stage.updated_columns($1, $2, ARRAY(SELECT jsonb_array_elements_text($3::jsonb))) AS name',
    wanted,
  );
  return rows.map((row) => String(row['name']));
}
