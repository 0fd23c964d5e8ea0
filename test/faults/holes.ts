/** Approvals whose connection to PostgreSQL stops transmitting, each at another moment, with the daemon alive, frozen or killed. */
import type { Arena } from './arena.ts';
import type { BlackHole, Fate } from './black-hole.ts';
import { fallIntoBlackHole, moments } from './black-hole.ts';

/** The longest times until production's rows are free, other approvals succeed, the caller has a response, and the pool works again. */
const limits = { freedMs: 30_000, otherMs: 30_000, answeredMs: 60_000, wholeMs: 5_000 } as const;
const measures = Object.keys(limits) as (keyof typeof limits)[];

export async function openHoles(fates: readonly Fate[]): Promise<Arena> {
  const combinations = moments.flatMap((moment) => fates.map((fate) => ({ fate, moment })));
  let begun = 0;
  return {
    round: async () => {
      const { fate, moment } = combinations[begun % combinations.length] ?? {};
      begun += 1;
      if (fate === undefined || moment === undefined) throw new Error('no fate was given');
      const hole = await fallIntoBlackHole(fate, moment);
      return {
        label: `${fate}, ${moment.lost} of ${moment.word} lost: ${inWords(hole)}`,
        counts: [`${fate}: found ${hole.found}`],
        anomalies: [...hole.anomalies, ...lateOf(hole)],
      };
    },
    close: async () => [],
  };
}

function lateOf(hole: BlackHole): string[] {
  return measures
    .filter((name) => (hole[name] ?? 0) > limits[name])
    .map((name) => `${name} ${hole[name]}`);
}

function inWords(hole: BlackHole): string {
  const { status = null, error = null, reason = null } = hole.answer ?? {};
  const times = measures.map((name) => `${name} ${hole[name]}`).join(' ');
  return `${times}, answered ${[status, error, reason].filter(Boolean).join(' ')}, found ${hole.found}`;
}
