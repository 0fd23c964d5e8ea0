/** One call as its seed draws it: the function, the form of the call, its place, its sender and the form of sending it. */
import type { ReadsMode } from '../../../src/model/session.ts';
import { createRandom } from '../../helpers/random.ts';
import { argumentHints } from './argument-hints.ts';
import type { Callable, Catalog } from './catalog.ts';
import { signatureOf } from './catalog.ts';
import { place } from './places.ts';
import { spell } from './spell.ts';
import type { Said } from './ways.ts';
import { send } from './ways.ts';

const roles = ['superuser', 'owner', 'writer', 'reader'] as const;
export type Role = (typeof roles)[number];

export interface RandomCall {
  readonly seed: number;
  readonly function: string;
  readonly role: Role;
  readonly reads: ReadsMode;
  readonly kind: 'read' | 'write';
  /** The form of the call, its place, and how it is sent, for reports. */
  readonly form: string;
  /** SQL that is run beforehand, directly on the database. */
  readonly made: readonly string[];
  /** A key of objects that only one call of a run may create. */
  readonly key: string | null;
  readonly said: readonly Said[];
}

/** A step through the functions that reaches each of them, because the number of functions is never a multiple of it. */
const stride = 7919;

/**
 * Draws a call. Consecutive seeds walk through all functions; every second call is of a function that is likely to have an effect.
 * @param filled replaces `$server` and the like with the values of the environment
 */
export function randomCall(
  seed: number,
  catalog: Catalog,
  filled: (text: string) => string,
): RandomCall {
  const random = createRandom(seed);
  const likely = likelyOf(catalog);
  const isLikely = seed % 2 !== 0;
  const number = isLikely ? random.pick(likely) : ((seed / 2) * stride) % catalog.functions.length;
  const spelled = spell(random, catalog, number);
  const written = {
    ...spelled,
    expression: filled(spelled.expression),
    ...(spelled.range === undefined ? {} : { range: filled(spelled.range) }),
  };
  // It serves as id of rows, too; those of production are small.
  const placed = place(random, written, 1000 + seed, isLikely);
  const { way, said } = send(random, placed.statements, placed.needsBlock ?? false);
  return {
    seed,
    function: signatureOf(catalog.functions[number] as Callable),
    role: random.pick(roles),
    reads: random.chance(0.4) ? 'staged' : 'production',
    kind: placed.kind,
    form: `by ${spelled.way} in ${placed.place}, ${way}`,
    made: [spelled.made?.sql ?? [], placed.made].flat().map(filled),
    key: spelled.made?.key ?? null,
    said,
  };
}

const likelyCache = new WeakMap<Catalog, readonly number[]>();

/** Returns the functions that are volatile, or that argument-hints.ts has arguments for. */
function likelyOf(catalog: Catalog): readonly number[] {
  const known = likelyCache.get(catalog);
  if (known) return known;
  const found = catalog.functions.flatMap(({ name, isVolatile }, number) =>
    isVolatile || name in argumentHints ? [number] : [],
  );
  likelyCache.set(catalog, found);
  return found;
}
