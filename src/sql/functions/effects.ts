/**
 * What each function of PostgreSQL and of its usual extensions does besides giving a value: the one place that decides it, for reads,
 * staged writes and the definitions of tables, whether a function is called by its name, as an operator, an aggregate or a cast.
 * By name where a list has it, else by rule. test/sql/effects.test.ts goes through the catalog for functions that neither knows.
 */
import { isOwnSchema } from '../classify/reserved-schemas.ts';
import {
  effectBuiltins,
  foreignReaching,
  foreignTexts,
  heldBuiltins,
  innerBuiltins,
  innerFamilies,
  plainBuiltins,
  plainExtensions,
  reachingExtensions,
  reachingSchemas,
  stageableExtensionVolatiles,
  stageableVolatiles,
  tellingBuiltins,
  tellingExtensionVolatiles,
  tellingFamilies,
  textBuiltins,
  textExtensions,
} from './function-lists.ts';

/** What the catalog says of a function. */
export interface FoundFunction {
  readonly schema: string;
  readonly name: string;
  readonly isVolatile: boolean;
  readonly isImmutable: boolean;
  /** Its code is in C. */
  readonly isCompiled: boolean;
  readonly isExtension: boolean;
}

export type Effect =
  | 'none'
  /** What it does READ ONLY holds. */
  | 'held'
  /** It runs a text as SQL. */
  | 'text'
  /** It has effects besides rows: on processes, locks, notifications, files, large objects, statistics. */
  | 'beyond'
  /** It opens connections of its own, or acts on what is outside of the database. */
  | 'out'
  /** It is written in SQL or another language: what it does, its own calls do. */
  | 'code'
  /** Nobody has judged it. */
  | 'unknown';

/** Returns what a function does, as far as its name and the catalog tell. */
export function effectOf(found: FoundFunction): Effect {
  if (isOwnSchema(found.schema)) return 'beyond';
  if (found.isExtension) return effectOfExtension(found);
  return found.schema === 'pg_catalog' ? effectOfBuiltin(found) : effectOfUsers(found);
}

function effectOfBuiltin({ name, isImmutable, isCompiled }: FoundFunction): Effect {
  if (textBuiltins.has(name)) return 'text';
  if (heldBuiltins.has(name)) return 'held';
  if (effectBuiltins.has(name) || isUpgrading(name)) return 'beyond';
  // the server's own immutable functions compute: the planner runs them as it likes
  if (isImmutable || isTold(name) || isPlain(name)) return 'none';
  // guard: a function of the server that nobody has judged is not called
  return isUntold(name) ? 'beyond' : isCompiled ? 'unknown' : 'code';
}

function effectOfExtension({ schema, name, isVolatile, isCompiled }: FoundFunction): Effect {
  // guard: functions of extensions that run a text are not called
  if (textExtensions.test(name)) return 'text';
  if (reachingExtensions.test(name)) return 'out';
  // guard: functions of further extensions are known to run a text or to reach out
  if (foreignTexts.test(name)) return 'text';
  if (foreignReaching.test(name) || reachingSchemas.has(schema)) return 'out';
  if (!isCompiled) return 'code';
  // of extensions that no list has, what is not volatile is taken at its word
  return !isVolatile || isToldOfExtension(name) ? 'none' : 'unknown';
}

/** Only a superuser makes such a function in C, and says what it is. */
function effectOfUsers({ isVolatile, isCompiled }: FoundFunction): Effect {
  if (!isCompiled) return 'code';
  // guard: volatile functions in C are not called by reads
  return isVolatile ? 'unknown' : 'none';
}

/** Whether a list has a function of an extension, or a rule does. */
export function isJudgedExtension(found: FoundFunction): boolean {
  const { name, isVolatile, isImmutable, isCompiled } = found;
  // what is volatile and not told is refused
  if (!isCompiled || isImmutable || isVolatile) return true;
  return effectOfExtension(found) !== 'none' || isToldOfExtension(name);
}

/** Whether a built-in has effects that READ ONLY does not hold, by its name. */
export function isHarmfulBuiltin(name: string): boolean {
  return isUpgrading(name) || textBuiltins.has(name) || effectBuiltins.has(name) || isUntold(name);
}

/** The same of a function of an extension. */
export function isHarmfulExtension(name: string): boolean {
  return textExtensions.test(name) || reachingExtensions.test(name);
}

/** Whether a function has the server's prefix, and no list has it. */
export function isUntold(name: string): boolean {
  return name.startsWith('pg_') && !isTold(name);
}

const isUpgrading = (name: string) => name.startsWith('binary_upgrade_');

const isTold = (name: string) =>
  tellingBuiltins.has(name) || tellingFamilies.test(name) || tellingExtensionVolatiles.has(name);

const isPlain = (name: string) =>
  plainBuiltins.has(name) ||
  stageableVolatiles.has(name) ||
  innerBuiltins.has(name) ||
  innerFamilies.test(name);

const isToldOfExtension = (name: string) =>
  isTold(name) || plainExtensions.has(name) || stageableExtensionVolatiles.has(name);
