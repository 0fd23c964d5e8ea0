/** Makes a failing script small: delta debugging over its statements, then over its schema and rows. */
import type { Script } from './script.ts';

type Fails = (script: Script) => Promise<boolean>;

/** Gives a script that still fails and from which nothing more can be left out; `tries` bounds the work. */
export async function shrink(script: Script, fails: Fails, tries = 150): Promise<Script> {
  const left = { tries };
  const statements = await withoutNeedless(script.statements, left, (kept) =>
    fails({ ...script, statements: kept }),
  );
  const small = { ...script, statements };
  const setup = await withoutNeedless(script.setup, left, (kept) =>
    fails({ ...small, setup: kept }),
  );
  return { ...small, setup };
}

/** Leaves out runs of items, half of them first, single ones last, as long as the rest still fails. */
export async function withoutNeedless<T>(
  items: readonly T[],
  left: { tries: number },
  fails: (kept: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let kept = items;
  for (
    let size = Math.ceil(items.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    // from the end: what comes last is what failed, or what is least needed
    for (let from = kept.length - size; from > -size && left.tries > 0; from -= size) {
      const start = Math.max(from, 0);
      const candidate = [...kept.slice(0, start), ...kept.slice(from + size)];
      left.tries -= 1;
      if (candidate.length < kept.length && (await fails(candidate))) kept = candidate;
    }
  }
  return kept;
}
