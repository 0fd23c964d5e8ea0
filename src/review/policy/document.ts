/** The policy document: what a team lets pass, who must agree, and when. Parsed strictly: unknown parts are refused. */
import { z } from 'zod';
import { StageError } from '../../errors.ts';
import { personOf, rolesWith } from '../../model/access.ts';
import { flagCodes } from '../../model/brief.ts';
import { nearest } from '../../nearest.ts';
import { days, isZone } from './windows.ts';

const deniable = ['insert', 'update', 'delete'] as const;

/** The roles of tokens that may approve. */
const approvingRoles: readonly string[] = rolesWith('review');

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const text = z
  .string()
  .min(1, 'must not be empty')
  .max(200, 'is longer than 200 characters')
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'control characters are not allowed');

/** The maximum number of faults that are reported for one document. */
export const mostFaults = 20;

/** The maximum number of windows of all rules together: the next opening is searched in all of them. */
const mostWindows = 50;

/** A name that is longer is no misspelt one. */
const longestGuessed = 130;

/** A list that is not empty and has nothing twice. */
const several = <T extends z.ZodType>(member: T) =>
  z
    .array(member)
    .min(1, 'must not be empty')
    .max(100, 'has more than 100 entries')
    .refine(
      (list) => new Set(list.map((one) => JSON.stringify(one))).size === list.length,
      'has an entry twice',
    );

const duration = z
  .string()
  .regex(/^[1-9]\d{0,4}[mhd]$/, 'must be a duration such as 90m, 24h or 7d');

const clock = z
  .string()
  .regex(
    /^(?:(?:[01]\d|2[0-3]):(?:00|15|30|45)|24:00)$/,
    'must be a time of day in quarters of an hour, such as 09:00 or 17:45',
  );

const zone = z.string().refine(isZone, 'must be a time zone such as Europe/Berlin or UTC');

const windowOfTime = z
  .strictObject({
    days: several(z.enum(days)).optional(),
    from: clock,
    to: clock,
    zone,
  })
  .refine(({ from, to }) => from < to, 'from must be before to: for a night give two windows');

const approvals = z.strictObject({
  count: z.int().min(1).max(20),
  from: several(text).optional(),
  max_age: duration.optional(),
});

/** The changes that the policy approves without anybody. */
const autoApprove = z.strictObject({
  max_rows: z.int().min(1).max(1_000_000),
  operations: several(z.enum(deniable)),
  flags: several(z.enum(flagCodes)).optional(),
  rehearsed: z.literal(true, 'can only be true: leave it out otherwise').optional(),
});

/** How many rows an author may propose in a day. */
const budget = z.strictObject({
  rows_per_day: z.int().min(1).max(1_000_000_000),
  of: several(text).optional(),
  zone: zone.optional(),
});

const rule = z.strictObject({
  name: text,
  projects: several(text).optional(),
  tables: several(text).optional(),
  deny: several(z.enum(deniable)).optional(),
  deny_columns: several(text).optional(),
  max_rows: z.int().min(0).max(1_000_000_000).optional(),
  max_rows_per_statement: z.int().min(1).max(1_000_000_000).optional(),
  budget: budget.optional(),
  approvals: approvals.optional(),
  four_eyes: z
    .literal(true, 'can only be true: a policy adds to the configuration, and takes nothing away')
    .optional(),
  expire: duration.optional(),
  windows: several(windowOfTime).optional(),
  auto_approve: autoApprove.optional(),
  break_glass: several(text).optional(),
});

export const policyDocument = z.strictObject({ rules: z.array(rule).max(100) });

export type PolicyDocument = z.output<typeof policyDocument>;
export type Rule = PolicyDocument['rules'][number];

/** Returns a duration of the document in milliseconds. */
export function durationMs(duration: string): number {
  return Number(duration.slice(0, -1)) * unitMs[duration.slice(-1) as keyof typeof unitMs];
}

/**
 * Parses a document.
 * @throws StageError `invalid_request` that names the place of each fault, and the nearest key or value
 */
export function parsePolicy(document: unknown): PolicyDocument {
  const count = windowCount(document);
  // guard: the windows of a document are few
  if (count > mostWindows)
    throw invalidPolicy([`rules: have ${count} windows together, and may have ${mostWindows}`]);
  const parsed = policyDocument.safeParse(document, { error: inWords });
  if (!parsed.success)
    throw invalidPolicy(parsed.error.issues.slice(0, mostFaults).flatMap(faultsOf));
  const faults = parsed.data.rules.flatMap((given, index) =>
    contradictionsOf(given, parsed.data.rules.slice(0, index)).map(
      ([path, fault]) => `rules[${index}]${path}: ${fault}`,
    ),
  );
  if (faults.length > 0) throw invalidPolicy(faults);
  return parsed.data;
}

/** Counts the windows of a document that is not parsed yet. */
function windowCount(document: unknown): number {
  const { rules } = (document ?? {}) as { readonly rules?: unknown };
  if (!Array.isArray(rules)) return 0;
  const lists = rules.map((given) => (given as { readonly windows?: unknown } | null)?.windows);
  return lists.reduce((sum: number, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}

/** Returns the nearest name; null if none is near, or the written one is too long to be misspelt. */
export function guessOf(written: string, names: readonly string[]): string | null {
  return written.length > longestGuessed ? null : nearest(written, names);
}

/** Returns the error for a document with faults, of which it names the first 20. */
export function invalidPolicy(all: readonly string[]): StageError {
  const faults = all.slice(0, mostFaults);
  return new StageError('invalid_request', `the policy is not valid: ${faults.join('; ')}`, {
    hint: 'Nothing was set. docs/policy.md describes every key.',
    facts: { faults },
  });
}

/** Returns the faults of a rule that its schema cannot express, each with its place in the rule. */
function contradictionsOf(given: Rule, earlier: readonly Rule[]): [string, string][] {
  const faults: [string, string][] = [];
  if (earlier.some(({ name }) => name === given.name))
    faults.push(['.name', 'another rule has this name']);
  const { name: _name, projects: _projects, tables, ...effects } = given;
  if (Object.keys(effects).length === 0) faults.push(['', 'the rule has no effect']);
  const { deny = [], deny_columns: columns, max_rows: maxRows, approvals: agreed } = given;
  const { max_rows_per_statement: atOnce } = given;
  if (given.budget !== undefined && tables !== undefined)
    faults.push(['.budget', 'counts the rows of all tables: give it a rule without tables']);
  if (columns !== undefined && tables === undefined)
    faults.push(['.deny_columns', 'needs tables: columns are those of tables']);
  if (columns !== undefined && deny.includes('update'))
    faults.push(['.deny_columns', 'the rule denies every update already']);
  if (maxRows !== undefined && deny.length === deniable.length)
    faults.push(['.max_rows', 'the rule denies every change already']);
  if (atOnce !== undefined && deny.length === deniable.length)
    faults.push(['.max_rows_per_statement', 'the rule denies every change already']);
  const { count = 1, from } = agreed ?? {};
  const people = new Set(from?.map(personOf)).size;
  if (from?.every((who) => !who.startsWith('role:')) && people < count)
    faults.push(['.approvals.count', `${count} of ${people} names can never agree`]);
  from?.forEach((who, index) => {
    if (!who.startsWith('role:') || approvingRoles.includes(who.slice('role:'.length))) return;
    const roles = approvingRoles.map((role) => `role:${role}`).join(' or ');
    faults.push([`.approvals.from[${index}]`, `no such role approves: it is ${roles}`]);
  });
  return [...faults, ...faultsOfAuto(given), ...faultsOfBreaking(given)];
}

function faultsOfAuto({ auto_approve: auto, ...given }: Rule): [string, string][] {
  if (auto === undefined) return [];
  const faults: [string, string][] = [];
  if (given.approvals !== undefined || given.four_eyes !== undefined)
    faults.push(['.auto_approve', 'the rule demands that people agree']);
  if (given.max_rows !== undefined && auto.max_rows > given.max_rows)
    faults.push(['.auto_approve.max_rows', `the rule allows ${given.max_rows} rows only`]);
  for (const operation of auto.operations)
    if (given.deny?.includes(operation))
      faults.push(['.auto_approve.operations', `the rule denies every ${operation}`]);
  if (auto.flags?.includes('triggers') && auto.rehearsed === undefined)
    faults.push(['.auto_approve.flags', 'triggers needs rehearsed: true']);
  return faults;
}

/** Returns the faults of `break_glass` in a rule that has nothing to go past. */
function faultsOfBreaking(given: Rule): [string, string][] {
  const { break_glass: people, approvals: agreed, four_eyes: fourEyes, windows } = given;
  const isNeeded = agreed !== undefined || fourEyes !== undefined || windows !== undefined;
  if (people === undefined || isNeeded) return [];
  return [['.break_glass', 'the rule has no approvals, four_eyes or windows to go past']];
}

function faultsOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code !== 'unrecognized_keys') return [`${placeOf(issue.path)}: ${issue.message}`];
  const known = keysAt(issue.path);
  return issue.keys.slice(0, mostFaults).map((key) => {
    const meant = guessOf(key, known);
    const guess = meant === null ? `known are ${known.join(', ')}` : `did you mean ${meant}?`;
    return `${placeOf([...issue.path, key])}: there is no such key; ${guess}`;
  });
}

function keysAt(path: readonly PropertyKey[]): readonly string[] {
  const last = path.findLast((part) => typeof part === 'string');
  if (last === undefined) return Object.keys(policyDocument.shape);
  const nested: Readonly<Record<string, object>> = {
    approvals: approvals.shape,
    budget: budget.shape,
    windows: windowOfTime.shape,
    auto_approve: autoApprove.shape,
  };
  return Object.keys(nested[last] ?? rule.shape);
}

/** Writes a path as `rules[0].approvals.count`. */
function placeOf(path: readonly PropertyKey[]): string {
  const place = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  return place === '' ? 'the document' : place.replace(/^\./, '');
}

function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_value') return valueFault(issue.input, issue.values.map(String));
  if (issue.input === undefined && issue.code !== 'custom') return 'is required';
  if (issue.code === 'invalid_type')
    return issue.expected === 'int' || issue.expected === 'number'
      ? 'must be a whole number'
      : `must be of type ${issue.expected}`;
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`;
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`;
  return undefined;
}

function valueFault(given: unknown, values: readonly string[]): string {
  const meant = typeof given === 'string' ? guessOf(given, values) : null;
  const guess = meant === null ? '' : `; did you mean ${meant}?`;
  return `must be one of ${values.join(', ')}${guess}`;
}
