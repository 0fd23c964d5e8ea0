/**
 * Classifies the side effects of PostgreSQL's functions and those of its usual extensions. This is the only place that does so, for reads,
 * staged writes and table definitions, whether a function is called by its name, as an operator, an aggregate or a cast. Lists of names
 * take precedence; rules cover the rest. test/sql/effects.test.ts searches the catalog for functions that neither covers.
 */
import { isInternalSchema } from '../classify/reserved-schemas.ts';
import {
  effectBuiltins,
  effectExtensions,
  foreignReaching,
  foreignTexts,
  informationBuiltins,
  informationExtensionVolatiles,
  informationFamilies,
  innerBuiltins,
  innerFamilies,
  plainBuiltins,
  plainExtensions,
  reachingExtensions,
  reachingSchemas,
  restrainedBuiltins,
  stageableExtensionVolatiles,
  stageableVolatiles,
  textBuiltins,
  textExtensions,
} from './function-lists.ts';

/** A function as the catalog describes it. */
export interface FoundFunction {
  readonly schema: string;
  readonly name: string;
  readonly isVolatile: boolean;
  readonly isImmutable: boolean;
  /** Whether its code is in C. */
  readonly isCompiled: boolean;
  readonly isExtension: boolean;
}

export type Effect =
  | 'none'
  /** Its effects are prevented by READ ONLY. */
  | 'prevented'
  /** It runs a text as SQL. */
  | 'text'
  /** It has effects other than on rows: on processes, locks, notifications, files, large objects, statistics. */
  | 'beyond'
  /** It opens connections, or acts on something outside of the database. */
  | 'out'
  /** It is written in SQL or another language. Its effects are those of its calls. */
  | 'code'
  /** No list or rule covers it. */
  | 'unknown';

/** Returns the effect of a function, according to its name and its catalog entry. */
export function effectOf(found: FoundFunction): Effect {
  if (isInternalSchema(found.schema)) return 'beyond';
  if (found.isExtension) return effectOfExtension(found);
  return found.schema === 'pg_catalog' ? effectOfBuiltin(found) : effectOfUsers(found);
}

function effectOfBuiltin({ name, isImmutable, isCompiled }: FoundFunction): Effect {
  if (textBuiltins.has(name)) return 'text';
  if (restrainedBuiltins.has(name)) return 'prevented';
  if (effectBuiltins.has(name) || isUpgrading(name)) return 'beyond';
  // The server's immutable functions only compute: the planner may evaluate them at any time.
  if (isImmutable || isInformational(name) || isPlain(name)) return 'none';
  // guard: a function of the server without a known effect is not called
  return isUnlisted(name) ? 'beyond' : isCompiled ? 'unknown' : 'code';
}

function effectOfExtension({ schema, name, isVolatile, isCompiled }: FoundFunction): Effect {
  // guard: functions of extensions that run a text are not called
  if (textExtensions.test(name)) return 'text';
  if (reachingExtensions.test(name)) return 'out';
  // guard: functions of extensions with effects are not called by definitions of tables
  if (effectExtensions.has(name)) return 'beyond';
  // guard: functions of further extensions are known to run a text or to reach out
  if (foreignTexts.test(name)) return 'text';
  if (foreignReaching.test(name) || reachingSchemas.has(schema)) return 'out';
  if (!isCompiled) return 'code';
  // for extensions in no list, a volatility other than VOLATILE is trusted
  return !isVolatile || isInformationalExtension(name) ? 'none' : 'unknown';
}

/** Classifies a user's function. Only a superuser can create one in C, and declares its volatility. */
function effectOfUsers({ isVolatile, isCompiled }: FoundFunction): Effect {
  if (!isCompiled) return 'code';
  // guard: volatile functions in C are not called by reads
  return isVolatile ? 'unknown' : 'none';
}

/** Returns whether a list or a rule covers a function of an extension. */
export function isListedExtension(found: FoundFunction): boolean {
  const { name, isVolatile, isImmutable, isCompiled } = found;
  // Unlisted volatile functions are refused where a statement calls them.
  if (!isCompiled || isImmutable || isVolatile) return true;
  return effectOfExtension(found) !== 'none' || isInformationalExtension(name);
}

/** Returns whether a built-in of this name has effects that READ ONLY does not prevent. */
export function isHarmfulBuiltin(name: string): boolean {
  return (
    isUpgrading(name) || textBuiltins.has(name) || effectBuiltins.has(name) || isUnlisted(name)
  );
}

/** Returns whether an extension's function of this name has such effects. */
export function isHarmfulExtension(name: string): boolean {
  return textExtensions.test(name) || reachingExtensions.test(name);
}

/** Returns whether a name has the server's prefix, but no list of functions that only return information has it. */
export function isUnlisted(name: string): boolean {
  return name.startsWith('pg_') && !isInformational(name);
}

const isUpgrading = (name: string) => name.startsWith('binary_upgrade_');

const isInformational = (name: string) =>
  informationBuiltins.has(name) ||
  informationFamilies.test(name) ||
  informationExtensionVolatiles.has(name);

const isPlain = (name: string) =>
  plainBuiltins.has(name) ||
  stageableVolatiles.has(name) ||
  innerBuiltins.has(name) ||
  innerFamilies.test(name);

const isInformationalExtension = (name: string) =>
  isInformational(name) || plainExtensions.has(name) || stageableExtensionVolatiles.has(name);
