/**
 * Random nets: tests that draw their cases from a seed. `npm test` draws few, the same each time; `npm run nets` draws many, from a new
 * seed. A test file that imports this file is a net: test/nets.ts searches for the import.
 */

const budget = Number(process.env['STAGE_TEST_BUDGET'] || 1);

/**
 * Returns how many cases a net draws: the value of its own variable, or else `few` times the budget.
 * @param variable name without the prefix `STAGE_TEST_`
 */
export function drawn(few: number, variable: string): number {
  return Number(process.env[`STAGE_TEST_${variable}`] || few * budget);
}

/** Returns the first seed of a net. */
export function firstSeed(): number {
  return Number(process.env['STAGE_TEST_SEED'] || 1);
}
