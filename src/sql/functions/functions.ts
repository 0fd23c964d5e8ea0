/**
 * The policy on functions. READ ONLY keeps a read from writing rows, but not from signalling processes, writing files, notifying or
 * locking; a staged write runs without READ ONLY. A name alone is rarely enough: the catalog shows what it refers to. Functions that users
 * wrote in SQL and similar languages are restrained by READ ONLY, or are found to be volatile.
 */

import { refuse } from '../classify/refusal.ts';
import { isInternalSchema } from '../classify/reserved-schemas.ts';
import { settingKind } from '../classify/settings.ts';
import type { Refusal } from '../refusal.ts';
import type { FunctionUse } from './calls.ts';
import type { FoundFunction } from './effects.ts';
import { effectOf, isHarmfulBuiltin, isHarmfulExtension, isUnlisted } from './effects.ts';
import {
  plainBuiltins,
  restrainedBuiltins,
  stageableExtensionVolatiles,
  stageableVolatiles,
} from './function-lists.ts';
import { isLastNumber } from './last-numbers.ts';

/** Whether the function is called in a statement that runs READ ONLY, or in a staged one. */
export type FunctionContext = 'read' | 'write';

/**
 * Returns the first function that must not run, independent of the catalog, or null.
 * @param allowed functions that the configuration allows nevertheless, as `name` or `schema.name`
 */
export function refusedFunctions(
  uses: readonly FunctionUse[],
  context: FunctionContext,
  allowed: readonly string[],
): FunctionUse | null {
  return uses.find((use) => isRefused(use, context, allowed)) ?? null;
}

/** Returns the refusal for a function that must not run. Callers find it by name, or in the catalog. */
export function functionRefusal(use: FunctionUse): Refusal {
  const name = use.schema === null ? use.name : `${use.schema}.${use.name}`;
  if (use.name === 'set_config') {
    const setting = use.setting === undefined ? 'a computed name' : `"${use.setting}"`;
    return refuse(
      `function set_config() cannot be run with ${setting} in a staged session`,
      'Use SET, or give set_config() the name of a setting that the service does not rely on, as a constant or as a parameter of type text.',
    );
  }
  if (isLastNumber(use)) {
    return refuse(
      'function lastval() cannot be run in a staged session where the statement does not call it itself',
      'Use RETURNING, or currval() with the name of the sequence: staging draws numbers from a sequence of its own, which may be the last one.',
    );
  }
  return refuse(
    `function ${name}() cannot be run in a staged session`,
    isInternalSchema(use.schema ?? '')
      ? 'Leave the call out: the staging service alone calls its functions.'
      : 'Leave the call out. An operator can list the function in allow_functions; what it does then takes effect at once, before any approval.',
  );
}

/** Returns whether a volatile function, found in the catalog in the given schema, may run in a staged write nevertheless. */
export function isStageableVolatile(schema: string, name: string): boolean {
  return schema === 'pg_catalog'
    ? stageableVolatiles.has(name)
    : stageableExtensionVolatiles.has(name);
}

/** Returns whether the configuration allows a function. */
export function isAllowedFunction(use: FunctionUse, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    const [name, schema] = entry.split('.').reverse();
    return (
      name === use.name && (use.schema === null || schema === undefined || schema === use.schema)
    );
  });
}

/**
 * Returns the first function that a table's definition calls and a staged write must not run, or null. Unknown ones are its owner's choice.
 */
export function harmfulInDefinition(
  found: readonly FoundFunction[],
  allowed: readonly string[],
): FoundFunction | null {
  const isHarmful = (each: FoundFunction) =>
    // guard: no definition of a table sets a setting
    isSetConfig(each) ||
    (effectOf(each) !== 'unknown' &&
      // in a definition, lastval() is not replaced
      (hasEffects(each, 'write') || isLastNumber(each)) &&
      !isAllowedFunction(each, allowed));
  return found.find(isHarmful) ?? null;
}

/** Returns whether a function is set_config(). Called from a definition, whose arguments nobody sees, it may set any setting. */
export const isSetConfig = ({ schema, name }: Pick<FoundFunction, 'schema' | 'name'>) =>
  schema === 'pg_catalog' && name === 'set_config';

/** Returns whether any of the calls sets search_path, or may do so. Names then resolve differently. */
export function changesPath(uses: readonly FunctionUse[]): boolean {
  return uses.some(
    ({ setting, parameter }) =>
      parameter !== undefined || (setting !== undefined && settingKind(setting) === 'path'),
  );
}

/** Returns whether a call is of set_config() with a parameter as the setting's name. Its value decides whether the call may run. */
export function isNamedByParameter(use: FunctionUse): boolean {
  return use.parameter !== undefined && isBuiltin(use);
}

/** Returns whether only the catalog shows if a read may call a function of this name. */
export function isUnclear({ schema, name }: FunctionUse): boolean {
  if (stageableExtensionVolatiles.has(name) || isInternalSchema(schema ?? '')) return false;
  if (!isBuiltin({ schema, name })) return true;
  const isPlain = plainBuiltins.has(name) || stageableVolatiles.has(name);
  return !isPlain && (!name.startsWith('pg_') || isUnlisted(name));
}

/** Returns whether a name is, or resembles, that of a function with effects. */
export function isSuspicious(name: string): boolean {
  return isHarmfulBuiltin(name) || isHarmfulExtension(name);
}

/**
 * Returns whether a function has effects that READ ONLY does not prevent or, in a write, effects that are not allowed. Volatile functions
 * are checked separately.
 */
export function hasEffects(found: FoundFunction, context: FunctionContext): boolean {
  const effect = effectOf(found);
  if (effect === 'none' || effect === 'code') return false;
  return effect !== 'prevented' || context === 'write';
}

function isRefused(
  use: FunctionUse,
  context: FunctionContext,
  allowed: readonly string[],
): boolean {
  if (isInternalSchema(use.schema ?? '')) return true;
  if (isBuiltin(use) && use.name === 'set_config') return !setsFreely(use);
  // guard: functions with effects are refused in reads
  return isHarmful(use, context) && !isAllowedFunction(use, allowed);
}

function isHarmful(use: FunctionUse, context: FunctionContext): boolean {
  const { schema, name } = use;
  if (context === 'write' && isHarmfulExtension(name)) return true;
  if (!isBuiltin(use)) return false;
  if (context === 'write') return restrainedBuiltins.has(name) || isHarmfulBuiltin(name);
  // An unqualified name with PostgreSQL's prefix may be a user's function.
  return schema === null && isUnlisted(name) ? false : isHarmfulBuiltin(name);
}

function setsFreely({ setting }: FunctionUse): boolean {
  if (setting === undefined) return false;
  const kind = settingKind(setting);
  return kind === 'free' || kind === 'path';
}

/** Returns whether a name may refer to a built-in: pg_catalog is part of every search path. */
function isBuiltin({ schema }: FunctionUse): boolean {
  return schema === null || schema === 'pg_catalog';
}
