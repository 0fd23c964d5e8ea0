/** One case: statements of a client on a table, with an alteration of it by another connection at one moment. */
import { createRandom } from '../helpers/random.ts';
import type { Alteration } from './alteration.ts';
import { alterations } from './alterations.ts';
import { tables } from './schema.ts';
import { randomStatement } from './statements.ts';

const logins = ['login', 'login', 'login', 'owner', 'superuser'] as const;
export type Login = (typeof logins)[number];

/**
 * When the alteration is made: between two statements; between Parse and Bind of the same statement; between two executions of a prepared
 * statement; inside a transaction block that has not named the table, or that has.
 */
const moments = ['between', 'parsed', 'prepared', 'block', 'late in a block'] as const;
export type Moment = (typeof moments)[number];

export interface Said {
  readonly text: string;
  readonly isSet: boolean;
  readonly isExtended: boolean;
}

export interface Case {
  readonly seed: number;
  readonly login: Login;
  readonly moment: Moment;
  readonly alteration: Alteration;
  readonly before: readonly Said[];
  /** The statement around which the alteration is made, where the moment is such. */
  readonly around: Said;
  readonly after: readonly Said[];
}

/** Draws a case. Consecutive seeds walk through the kinds of alterations. */
export function randomCase(seed: number): Case {
  const random = createRandom(seed);
  const kind = alterations[seed % alterations.length] ?? [];
  const alteration = random.pick(kind);
  const say = (): Said => {
    const table = random.chance(0.8) ? random.pick(alteration.of) : random.pick(tables);
    return { ...randomStatement(random, table), isExtended: random.chance(0.4) };
  };
  const many = (count: number) => Array.from({ length: count }, say);
  return {
    seed,
    login: random.pick(logins),
    moment: random.pick(moments),
    alteration,
    before: many(1 + random.below(4)),
    around: say(),
    after: many(2 + random.below(4)),
  };
}

/** Returns the case as text, to be read. */
export function written({ seed, login, moment, alteration, before, around, after }: Case): string {
  const line = ({ text, isExtended }: Said) => `${text};${isExtended ? ' -- extended' : ''}`;
  return [
    `-- seed ${seed}, as ${login}, ${moment}`,
    ...before.map(line),
    `-- around: ${line(around)}`,
    `-- altered: ${alteration.text};`,
    ...after.map(line),
  ].join('\n');
}
