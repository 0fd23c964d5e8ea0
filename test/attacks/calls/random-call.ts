/** One call as its seed draws it: which function, how it is called, where it stands, who sends it and how. */
import type { ReadsMode } from '../../../src/model/session.ts';
import { createRandom } from '../../helpers/random.ts';
import type { Callable, Catalog } from './catalog.ts';
import { signatureOf } from './catalog.ts';
import { place } from './places.ts';
import { spell } from './spell.ts';
import { telling } from './telling.ts';
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
  /** How it is called, where it stands, how it is sent: for reports. */
  readonly form: string;
  /** What is made beforehand, straight on the database. */
  readonly made: readonly string[];
  /** What only one call of a run may make. */
  readonly key: string | null;
  readonly said: readonly Said[];
}

/** A step through the functions that meets each of them: no number of functions is a multiple of it. */
const stride = 7919;

/**
 * Draws a call. Seeds one after the other walk through all functions; every second one is of those that may well have an effect.
 * @param filled puts what only the field knows in the place of `$server` and the like
 */
export function randomCall(
  seed: number,
  catalog: Catalog,
  filled: (text: string) => string,
): RandomCall {
  const random = createRandom(seed);
  const likely = likelyOf(catalog);
  const number =
    seed % 2 === 0 ? ((seed / 2) * stride) % catalog.functions.length : random.pick(likely);
  const spelled = spell(random, catalog, number);
  const written = {
    ...spelled,
    expression: filled(spelled.expression),
    ...(spelled.range === undefined ? {} : { range: filled(spelled.range) }),
  };
  // ids of rows, too: production's are small
  const placed = place(random, written, 1000 + seed);
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

/** Functions that are volatile, or for which somebody has told arguments. */
function likelyOf(catalog: Catalog): readonly number[] {
  const known = likelyCache.get(catalog);
  if (known) return known;
  const found = catalog.functions.flatMap(({ name, isVolatile }, number) =>
    isVolatile || name in telling ? [number] : [],
  );
  likelyCache.set(catalog, found);
  return found;
}
