/** Arguments of a tool: described to clients by a schema, validated here, and refused in the service's words. */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { sanitize } from '../client/sanitize.ts';
import { StageError } from '../errors.ts';
import { nearest } from '../nearest.ts';

type Input = z.ZodObject<z.ZodRawShape>;
type Argument = z.core.JSONSchema.JSONSchema;
type Issue = z.core.$ZodIssue;

/** The maximum number of problems that are reported at once. */
const mostProblems = 5;
const mostOfName = 60;

/** Returns a schema that describes the arguments and accepts everything, since the SDK would refuse in its own words. */
export function describeOnly(input: Input): StandardSchemaWithJSON {
  const { jsonSchema, ...standard } = input['~standard'];
  const validate = (value: unknown) => ({ value });
  return { '~standard': { ...standard, jsonSchema, validate } };
}

/**
 * Validates the arguments of a call and adds defaults.
 * @throws StageError `invalid_request` that lists each wrong argument with its valid form, and shows an example
 */
export function readInput(tool: string, input: Input, given: unknown): Record<string, unknown> {
  const { success, data, error } = input.safeParse(given);
  if (success) return data;
  const schemas = z.toJSONSchema(input, { io: 'input' });
  const known = (schemas.properties ?? {}) as Record<string, Argument>;
  const members = new Set(Object.keys(given as object));
  const problems = error.issues.flatMap((issue) => problemsOf(issue, known, members));
  const wrong = error.issues.map(({ path }) => String(path[0]));
  const example = exampleOf(known, [...(schemas.required ?? []), ...wrong]);
  throw new StageError(
    'invalid_request',
    `${tool}: ${[...new Set(problems)].slice(0, mostProblems).join('; ')}. A right call has ${example}.`,
  );
}

function problemsOf(
  issue: Issue,
  known: Readonly<Record<string, Argument>>,
  given: ReadonlySet<string>,
): string[] {
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0)
    return issue.keys.map((name) => unknownArgument(name, Object.keys(known)));
  const name = String(issue.path[0]);
  const schema = known[name] ?? {};
  // without alternatives, patterns and custom checks have their own description
  const isOwn = !schema.anyOf && (issue.code === 'custom' || issue.code === 'invalid_format');
  const wanted = isOwn ? issue.message : formOf(schema);
  return [given.has(name) ? `${name} has to be ${wanted}` : `${name} is missing: ${wanted}`];
}

function unknownArgument(name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  const others = meant === null ? `it takes ${names.join(', ')}` : `${meant} may be meant`;
  return `there is no argument ${sanitize(name).slice(0, mostOfName)}: ${others}`;
}

/** Describes the valid form of an argument. */
function formOf(schema: Argument): string {
  const { type, anyOf, minLength: least = 0, maxLength: most } = schema;
  if (anyOf) return anyOf.map((each) => formOf(each as Argument)).join(' or ');
  if (type === 'string') {
    if (most === undefined) return 'a text';
    return `a text of ${least > 0 ? `${least} to` : 'at most'} ${most} characters`;
  }
  if (type === 'integer') return `a whole number${rangeOf(schema)}`;
  if (type === 'boolean') return 'true or false';
  if (type === 'array') {
    const items = (schema.items as Argument).type;
    return `a list of at most ${schema.maxItems} values, each of the type ${[items].flat().join(' or ')}`;
  }
  return 'an object';
}

function rangeOf({ minimum, maximum }: Argument): string {
  return maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER
    ? ''
    : ` from ${minimum} to ${maximum}`;
}

function exampleOf(known: Readonly<Record<string, Argument>>, names: readonly string[]): string {
  const entries = Object.keys(known)
    .filter((name) => names.includes(name))
    .map((name) => [name, (known[name]?.examples as unknown[] | undefined)?.[0]]);
  return JSON.stringify(Object.fromEntries(entries));
}
