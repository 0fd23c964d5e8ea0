/** The interface of each kind of fault: it plays rounds, one after the other, and checks each. */
import type { Random } from '../helpers/random.ts';

export interface Outcome {
  /** The label of the round. */
  readonly label: string;
  /** Texts that are counted over all rounds, each once. */
  readonly counts: readonly string[];
  /** The faults; empty for none. */
  readonly anomalies: readonly string[];
}

export interface Arena {
  round(random: Random): Promise<Outcome>;
  /** Returns what is wrong at the end, after all rounds. */
  close(): Promise<readonly string[]>;
}

export interface Totals {
  rounds: number;
  anomalies: number;
  readonly counts: Map<string, number>;
}

export const noTotals = (): Totals => ({ rounds: 0, anomalies: 0, counts: new Map() });

/**
 * Plays rounds until there have been enough, and closes the arena.
 * @param tell receives each outcome at once
 */
export async function play(
  arena: Arena,
  random: Random,
  totals: Totals,
  isOver: () => boolean,
  tell: (outcome: Outcome) => void,
): Promise<void> {
  let left: readonly string[] = [];
  try {
    while (!isOver()) {
      totals.rounds += 1;
      const outcome = await arena.round(random);
      for (const key of outcome.counts) totals.counts.set(key, (totals.counts.get(key) ?? 0) + 1);
      totals.anomalies += outcome.anomalies.length > 0 ? 1 : 0;
      tell(outcome);
    }
  } finally {
    left = await arena.close();
  }
  totals.anomalies += left.length > 0 ? 1 : 0;
  if (left.length > 0) tell({ label: 'in the end', counts: [], anomalies: left });
}
