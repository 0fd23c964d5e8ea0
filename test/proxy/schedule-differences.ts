/** What two runs of a schedule differ in, staged and directly, and which differences docs/limits.md names. */
import type { Schedule } from './schedule-draws.ts';

export interface Run {
  /** As `interleave` gives them. */
  readonly outcomes: readonly string[];
  /** What remains in the tables. */
  readonly rows: string;
}

/** Returns what a statement has told, without its text. */
export const answer = (outcome = '') => outcome.slice(outcome.lastIndexOf(': ') + 2);

/** Returns the first difference, null where there is none, or `excused` for one that docs/limits.md names. */
export function differ(staged: Run, direct: Run, schedule: Schedule): string | null {
  const at = staged.outcomes.findIndex((outcome, index) => outcome !== direct.outcomes[index]);
  const isExcused = excuses.some((excuse) => excuse(staged, direct, schedule, at));
  if (at < 0) return staged.rows === direct.rows ? null : 'rows';
  return isExcused ? 'excused' : (staged.outcomes[at] ?? '');
}

type Excuse = (staged: Run, direct: Run, schedule: Schedule, at: number) => boolean;

const waited = (outcome = '') => outcome.includes(': waits, ');

const excuses: readonly Excuse[] = [
  // of two rows in the way of DO NOTHING, one that stays is enough
  (staged, direct, { steps }, at) =>
    /DO NOTHING/.test(steps[at]?.[1] ?? '') &&
    answer(direct.outcomes[at]) === `waits, ${answer(staged.outcomes[at])}`,
  // a key that another connection gives up cannot be taken by an older snapshot
  ({ outcomes }, _, { level }, at) =>
    level !== 'READ COMMITTED' && answer(outcomes[at]).endsWith('40001'),
  // of several that wait any may go on first
  (_, { outcomes }) => new Set(outcomes.filter(waited).map((outcome) => outcome[0])).size > 1,
  // what has waited is run again as a whole, and finds a row that was put in the place of the one it waited for
  (staged, direct, { steps }, at) => {
    const own = steps[at]?.[0];
    const others = steps.slice(0, at + 8).filter(([connection]) => connection !== own);
    const isReplaced = others.some(([connection, text], index) => {
      if (!/DELETE|SET id/.test(text)) return false;
      return others
        .slice(index + 1)
        .some(([other, later]) => other === connection && /INSERT|SET id/.test(later));
    });
    return waited(staged.outcomes[at]) && waited(direct.outcomes[at]) && isReplaced;
  },
];
