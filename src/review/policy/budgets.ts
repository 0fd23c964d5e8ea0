/** The budgets of authors: the rows that they propose in a day, in all their sessions. */
import type { Queryable } from '../../db/database.ts';
import { personOf } from '../../model/access.ts';
import type { Rule } from './document.ts';

/** The rows that an author has proposed today in other sessions, by the zone of a rule. */
export interface Spent {
  readonly person: string;
  readonly rows: number;
}

/** Returns the persons among the names; nobody without a name is one. */
export function peopleOf(names: readonly (string | null)[]): string[] {
  return [...new Set(names.flatMap((name) => (name === null ? [] : [personOf(name)])))].sort();
}

/** Lets the proposals of these persons come one after the other until the transaction ends: a budget is not spent twice. */
export async function lockBudgets(tx: Queryable, people: readonly string[]): Promise<void> {
  // guard: proposals of one author wait for each other
  for (const person of people) await tx.query(lockPerson, [`stage.budget ${person}`]);
}

const lockPerson = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

const selectSpent = 'SELECT stage.spent_today($1, $2, $3, $4) AS rows';

/** Reads what the persons have proposed today, for those whom the budget of a rule names. */
export async function spentBy(
  tx: Queryable,
  uuid: string,
  people: readonly string[],
  { budget, projects }: Rule,
): Promise<Spent[]> {
  const named = budget?.of?.map(personOf);
  const spent: Spent[] = [];
  for (const person of people) {
    if (named?.includes(person) === false) continue;
    const inProjects = projects === undefined ? null : JSON.stringify(projects);
    const values = [person, uuid, budget?.zone ?? 'UTC', inProjects];
    const [row] = await tx.query(selectSpent, values);
    spent.push({ person, rows: Number(row?.['rows']) });
  }
  return spent;
}

const insertProposed = `
INSERT INTO stage.proposed_rows (session, round, person, project_id, row_count)
SELECT s.id, s.round + 1, p.person, s.project_id, $3 FROM stage.session s CROSS JOIN jsonb_array_elements_text($2::jsonb) p (person)
WHERE s.id = $1`;

/** Records the rows of a session that is about to be proposed, for each of its authors. */
export async function spend(
  tx: Queryable,
  uuid: string,
  people: readonly string[],
  rows: number,
): Promise<void> {
  await tx.query(insertProposed, [uuid, JSON.stringify(people), String(rows)]);
}
