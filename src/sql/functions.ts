/**
 * The policy on functions by name. READ ONLY keeps a read from writing rows, but not from signalling processes,
 * writing files, notifying, locking; a staged write runs without READ ONLY. User functions are the catalog's to judge.
 */
import {
  harmfulBuiltins,
  harmfulExtensions,
  harmfulExtensionsInWrites,
  harmfulInWrites,
  stageableExtensionVolatiles,
  stageableVolatiles,
  tellingBuiltins,
  tellingFamilies,
} from './function-lists.ts';
import { refuse } from './refusal.ts';
import { isOwnSchema } from './reserved-schemas.ts';
import { settingKind } from './settings.ts';
import type { FunctionUse, Refusal } from './verdict.ts';

/** Whether the function stands in a statement that runs READ ONLY, or in one that is staged. */
export type FunctionContext = 'read' | 'write';

/**
 * Finds the first function that must not run.
 * @param allowed - functions that the configuration allows all the same, as `name` or `schema.name`.
 */
export function refusedFunctions(
  uses: readonly FunctionUse[],
  context: FunctionContext,
  allowed: readonly string[],
): FunctionUse | null {
  return uses.find((use) => isRefused(use, context, allowed)) ?? null;
}

/** The refusal to answer with for a function that must not run, found by name here or by the catalog elsewhere. */
export function functionRefusal(use: FunctionUse): Refusal {
  const name = use.schema === null ? use.name : `${use.schema}.${use.name}`;
  if (use.name === 'set_config') {
    const setting = use.setting === undefined ? 'a computed name' : `"${use.setting}"`;
    return refuse(
      `function set_config() cannot be run with ${setting} in a staged session`,
      'Use SET, or give set_config() the constant name of a setting that the service does not rely on.',
    );
  }
  return refuse(
    `function ${name}() cannot be run in a staged session`,
    'Leave the call out, or have the function added to allow_functions in the configuration of the service.',
  );
}

/** Whether a volatile function, found in the catalog in the given schema, may run in a staged write all the same. */
export function isStageableVolatile(schema: string, name: string): boolean {
  return schema === 'pg_catalog'
    ? stageableVolatiles.has(name)
    : stageableExtensionVolatiles.has(name);
}

/** Whether a function is among those that the configuration allows. */
export function isAllowedFunction(use: FunctionUse, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    const [name, schema] = entry.split('.').reverse();
    return (
      name === use.name && (use.schema === null || schema === undefined || schema === use.schema)
    );
  });
}

/** Whether one of the calls sets search_path, so that names resolve differently from now on. */
export function changesPath(uses: readonly FunctionUse[]): boolean {
  return uses.some((use) => use.setting !== undefined && settingKind(use.setting) === 'path');
}

function isRefused(
  use: FunctionUse,
  context: FunctionContext,
  allowed: readonly string[],
): boolean {
  if (isOwnSchema(use.schema ?? '')) return true;
  if (isBuiltin(use) && use.name === 'set_config') return !setsFreely(use);
  return isHarmful(use, context) && !isAllowedFunction(use, allowed);
}

function isHarmful(use: FunctionUse, context: FunctionContext): boolean {
  const { name } = use;
  if (harmfulExtensions.test(name)) return true;
  if (context === 'write' && harmfulExtensionsInWrites.test(name)) return true;
  if (!isBuiltin(use)) return false;
  if (name.startsWith('binary_upgrade_') || isUntoldBuiltin(name)) return true;
  return harmfulBuiltins.has(name) || (context === 'write' && harmfulInWrites.has(name));
}

function isUntoldBuiltin(name: string): boolean {
  return name.startsWith('pg_') && !tellingBuiltins.has(name) && !tellingFamilies.test(name);
}

function setsFreely({ setting }: FunctionUse): boolean {
  if (setting === undefined) return false;
  const kind = settingKind(setting);
  return kind === 'free' || kind === 'path';
}

/** A bare name may be a built-in's: pg_catalog comes first in every search path. */
function isBuiltin({ schema }: FunctionUse): boolean {
  return schema === null || schema === 'pg_catalog';
}
