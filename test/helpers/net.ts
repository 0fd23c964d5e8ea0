/**
 * Random nets: tests that draw their cases from a seed. `npm test` draws few, the same each time; `npm run nets` draws many, from a new
 * seed. A file that imports this is one of them: test/nets.ts looks for the import.
 */

const budget = Number(process.env['STAGE_TEST_BUDGET'] || 1);

/**
 * Returns how many cases a net draws: what its own variable says, else `few` times the budget.
 * @param variable behind `STAGE_TEST_`
 */
export function drawn(few: number, variable: string): number {
  return Number(process.env[`STAGE_TEST_${variable}`] || few * budget);
}

/** Returns the seed that a net starts from. */
export function firstSeed(): number {
  return Number(process.env['STAGE_TEST_SEED'] || 1);
}
