/** Rows that a rule refuses are staged before it: here, between two versions of the policy. */
import type { TestDatabase } from './database.ts';

/** Does something while the policy has no rules, and sets the former document again. */
export async function beforePolicy<Result>(
  database: TestDatabase,
  work: () => Promise<Result>,
): Promise<Result> {
  const newest = 'SELECT document, relations FROM stage.policy ORDER BY version DESC LIMIT 1';
  const [policy] = await database.query<{ document: object; relations: object }>(newest);
  if (policy === undefined) return work();
  const set = (document: object, relations: object) =>
    database.query(`SELECT stage.set_policy(NULL, $1, $2, 'test', NULL)`, [
      JSON.stringify(document),
      JSON.stringify(relations),
    ]);
  await set({ rules: [] }, {});
  try {
    return await work();
  } finally {
    await set(policy.document, policy.relations);
  }
}
