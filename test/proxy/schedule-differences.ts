/** The difference between the staged run and the direct run of a schedule, and the differences that docs/limits.md names. */
import type { Schedule } from './schedule-draws.ts';

export interface Run {
  /** As `interleave` returns them. */
  readonly outcomes: readonly string[];
  /** The rows that remain in the tables. */
  readonly rows: string;
}

/** Returns the result in a statement's outcome, without its text. */
export const answer = (outcome = '') => outcome.slice(outcome.lastIndexOf(': ') + 2);

/** Returns the first difference, null if there is none, or `excused` for one that docs/limits.md names. */
export function differ(staged: Run, direct: Run, schedule: Schedule): string | null {
  const at = staged.outcomes.findIndex((outcome, index) => outcome !== direct.outcomes[index]);
  const isExcused = excuses.some((excuse) => excuse(staged, direct, schedule, at));
  if (at < 0) return staged.rows === direct.rows ? null : 'rows';
  return isExcused ? 'excused' : (staged.outcomes[at] ?? '');
}

type Excuse = (staged: Run, direct: Run, schedule: Schedule, at: number) => boolean;

const waited = (outcome = '') => outcome.includes(': waits, ');
const failed = (outcome = '') => /: (waits, )?[\dA-Z]{5}$/.test(outcome);
const bothWaited = (staged: Run, direct: Run, at: number) =>
  waited(staged.outcomes[at]) && waited(direct.outcomes[at]);

const excuses: readonly Excuse[] = [
  // DO NOTHING finds two conflicting rows, of which one that stays is enough; PostgreSQL waits for the other one, even in vain
  (staged, direct, { steps }, at) =>
    /DO NOTHING/.test(steps[at]?.[1] ?? '') &&
    [`waits, ${answer(staged.outcomes[at])}`, 'waits, 40P01'].includes(answer(direct.outcomes[at])),
  // DO NOTHING also waits for a connection that has only locked the row
  (staged, direct, { steps }, at) =>
    /DO NOTHING/.test(steps[at]?.[1] ?? '') &&
    answer(staged.outcomes[at]) === `waits, ${answer(direct.outcomes[at])}` &&
    steps.slice(0, at).some(([by, text]) => by !== steps[at]?.[0] && /FOR UPDATE/.test(text)),
  // what breaks a unique index fails before or after it waits for another row
  (staged, direct, _, at) =>
    [staged, direct].every(({ outcomes }) => /: (waits, )?23505$/.test(outcomes[at] ?? '')),
  // an older snapshot can neither take a key that another connection gives up, nor tell why it cannot take one that another has taken
  (staged, direct, { level }, at) =>
    level !== 'READ COMMITTED' &&
    answer(staged.outcomes[at]) === 'waits, 40001' &&
    (/: waits, 2350[35]$/.test(direct.outcomes[at] ?? '') ||
      (waited(direct.outcomes[at]) && !failed(direct.outcomes[at]))),
  // an older snapshot does not tell that the one it was in a deadlock with has given up
  (staged, _, { level, steps }, at) =>
    level !== 'READ COMMITTED' &&
    answer(staged.outcomes[at]) === '40001' &&
    staged.outcomes
      .slice(0, at)
      .some((outcome, index) => outcome?.endsWith('40P01') && steps[index]?.[0] !== steps[at]?.[0]),
  // an older snapshot does not find a child: approval does
  (staged, direct, { level, steps }, at) =>
    level !== 'READ COMMITTED' &&
    direct.outcomes[at]?.endsWith('40001') === true &&
    /: (DELETE|UPDATE) 1$/.test(staged.outcomes[at] ?? '') &&
    /^(DELETE FROM item|UPDATE item SET id)/.test(steps[at]?.[1] ?? '') &&
    steps.slice(0, at).some(([by, text]) => by !== steps[at]?.[0] && /INTO (part|note)/.test(text)),
  // any of several that wait may go on first
  (staged, direct, _, at) => {
    const before = direct.outcomes.slice(0, at).filter(waited);
    return (
      new Set(direct.outcomes.filter(waited).map((outcome) => outcome[0])).size > 1 &&
      (bothWaited(staged, direct, at) || new Set(before.map((outcome) => outcome[0])).size > 1)
    );
  },
  // a statement that waited is run again as a whole, and finds a row that replaced the one it waited for
  (staged, direct, { steps }, at) => {
    const own = steps[at]?.[0];
    const others = steps.filter(([connection]) => connection !== own);
    const isReplaced = others.some(([connection, text], index) => {
      if (!/DELETE|SET id/.test(text)) return false;
      return others
        .slice(index + 1)
        .some(([other, later]) => other === connection && /INSERT|SET id/.test(later));
    });
    return bothWaited(staged, direct, at) && !failed(staged.outcomes[at]) && isReplaced;
  },
];
