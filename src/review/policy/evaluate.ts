/** Evaluates the policy: a document and the facts of a session give a list of verdicts. Pure: it reads neither a database nor a clock. */
import type { PolicyVerdict } from '../../model/policy.ts';
import { shownName } from '../../model/table.ts';
import type { Spent } from './budgets.ts';
import type { PolicyDocument, Rule } from './document.ts';
import { durationMs } from './document.ts';
import type { Window } from './windows.ts';
import { areOpen, nextOpening } from './windows.ts';

export interface Policy {
  /** 0 if none was ever set. */
  readonly version: number;
  readonly document: PolicyDocument;
  /** The tables that names of the document meant when it was set: OIDs by these names. */
  readonly oids: ReadonlyMap<string, readonly number[]>;
}

/** A table in which a session staged. */
export interface StagedTable {
  /** Its name and those of the tables above it, partitioned or inherited from. */
  readonly names: readonly { readonly schema: string; readonly name: string }[];
  /** The OIDs of the same. */
  readonly lineage: readonly number[];
}

export interface TableFacts extends StagedTable {
  readonly name: string;
  /** Changes that approval replays, by kind. */
  readonly changes: Readonly<Record<'insert' | 'update' | 'delete', number>>;
  /** Number of rows that they change. */
  readonly rows: number;
  /** The columns that net updates change, of those that a rule denies. */
  readonly updatedColumns: readonly string[];
}

export interface SessionFacts {
  readonly projectId: string;
  /** In milliseconds since 1970, by the clock of the database, as all times here. */
  readonly now: number;
  /** Null while the session is active. */
  readonly proposedAt: number | null;
  /** Whether it reverts an approval, or is a part of what was one session. */
  readonly isDerived: boolean;
  readonly tables: readonly TableFacts[];
  /** The maximum number of rows that one statement changed in the tables of a rule, by the names of rules that limit these. */
  readonly largestStatements: ReadonlyMap<string, number>;
  /** The rows that its authors have proposed today in other sessions, by the names of rules with a budget. */
  readonly spent: ReadonlyMap<string, readonly Spent[]>;
}

/** The result of one limit of a rule for a session. `opensAt`: when the windows open; null if they are open, or never open together. */
export type Verdict = Omit<PolicyVerdict, 'opensAt'> & { readonly opensAt?: number | null };

/** Returns whether a rule names the table, or one above it, by its name now or by the OID that the name had when the policy was set. */
export function covers(policy: Policy, { tables }: Rule, facts: StagedTable): boolean {
  if (tables === undefined) return true;
  return tables.some(
    (pattern) =>
      // guard: a rule for a table holds under any name of the table
      (policy.oids.get(pattern) ?? []).some((oid) => facts.lineage.includes(oid)) ||
      facts.names.some(({ schema, name }) => matches(pattern, schema, name)),
  );
}

/** Returns the names of a table in a document: as the diff shows it, with its schema, or all of a schema as `schema.*`. */
export function namesOf(schema: string, name: string): readonly string[] {
  return [shownName(schema, name), `${schema}.${name}`, `${schema}.*`];
}

function matches(pattern: string, schema: string, name: string): boolean {
  return namesOf(schema, name).includes(pattern);
}

/** Returns the rules that hold for a session: those of its project that name no table, or one in which it staged. */
export function rulesFor(
  policy: Policy,
  { projectId, tables }: { readonly projectId: string; readonly tables: readonly StagedTable[] },
): readonly Rule[] {
  return policy.document.rules.filter(
    (rule) =>
      (rule.projects?.includes(projectId) ?? true) &&
      (rule.tables === undefined || tables.some((table) => covers(policy, rule, table))),
  );
}

/** Evaluates everything but the votes. */
export function evaluate(policy: Policy, facts: SessionFacts): Verdict[] {
  const rules = rulesFor(policy, facts);
  const ofTables = rules.flatMap((rule) =>
    facts.tables
      .filter((table) => covers(policy, rule, table))
      .flatMap((table) => verdictsOfTable(rule, table)),
  );
  return [
    ...ofTables,
    ...rules.flatMap((rule) => statementsOf(rule, facts)),
    ...rules.flatMap((rule) => budgetOf(rule, facts)),
    ...rules.flatMap((rule) => expiryOf(rule, facts)),
    ...windowsOf(rules, facts),
    ...rules.flatMap((rule) => fourEyesOf(rule)),
  ];
}

function verdictsOfTable(rule: Rule, table: TableFacts): Verdict[] {
  const { deny = [], deny_columns: columns = [], max_rows: most } = rule;
  const { name, changes, rows, updatedColumns } = table;
  const about = { rule: rule.name, table: name };
  const denied = deny.map((operation): Verdict => {
    const count = changes[operation];
    const says = `no ${operation} in ${name}${count === 0 ? '' : `: the session has ${count}`}`;
    return { ...about, limit: 'deny', holds: count === 0, says };
  });
  const kept = columns.map((column): Verdict => {
    const holds = !updatedColumns.includes(column);
    const says = `no update of ${name}.${column}${holds ? '' : ': the session updates it'}`;
    return { ...about, limit: 'deny_columns', holds, says };
  });
  if (most === undefined) return [...denied, ...kept];
  const says = `at most ${most} rows of ${name}: the session changes ${rows}`;
  return [...denied, ...kept, { ...about, limit: 'max_rows', holds: rows <= most, says }];
}

/**
 * Evaluates the limit on the rows of a statement. The service refuses such a statement when it runs; this finds those that ran before the
 * rule was set, or that evaded the check.
 */
function statementsOf(
  { name, max_rows_per_statement: most }: Rule,
  { largestStatements }: SessionFacts,
): Verdict[] {
  const largest = largestStatements.get(name);
  if (most === undefined || largest === undefined) return [];
  const says = `at most ${most} rows by a statement: the largest changes ${largest}`;
  const about = { rule: name, limit: 'max_rows_per_statement', table: null } as const;
  return [{ ...about, holds: largest <= most, says }];
}

function budgetOf({ name, budget }: Rule, { tables, spent }: SessionFacts): Verdict[] {
  if (budget === undefined) return [];
  const { rows_per_day: most, zone = 'UTC' } = budget;
  const own = rowsOf(tables);
  return (spent.get(name) ?? []).map(({ person, rows }) => {
    const says = `at most ${most} rows a day by ${person} (${zone}): ${rows} were proposed today, and this session has ${own}`;
    return { rule: name, limit: 'budget', table: null, holds: rows + own <= most, says };
  });
}

/** Returns the number of changed rows of all tables. */
export function rowsOf(tables: readonly TableFacts[]): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

function expiryOf({ name, expire }: Rule, { now, proposedAt }: SessionFacts): Verdict[] {
  if (expire === undefined) return [];
  const holds = proposedAt === null || now - proposedAt <= durationMs(expire);
  const says = `approve within ${expire} of the proposal${holds ? '' : ': it is older'}`;
  return [{ rule: name, limit: 'expire', table: null, holds, says }];
}

/** Returns the verdicts on windows. All rules have to be open at once. */
function windowsOf(rules: readonly Rule[], { now }: SessionFacts): Verdict[] {
  const timed = rules.filter(({ windows }) => windows !== undefined);
  const lists = timed.map(({ windows = [] }) => windows);
  const opensAt = areOpen(lists, now) ? null : nextOpening(lists, now);
  return timed.map(({ name, windows = [] }) => {
    const says = `approve ${windows.map(inWords).join(', or ')}`;
    const holds = areOpen([windows], now);
    return { rule: name, limit: 'windows', table: null, holds, says, opensAt };
  });
}

function inWords({ days, from, to, zone }: Window): string {
  return `${days === undefined ? '' : `${days.join(' ')} `}${from} to ${to} ${zone}`;
}

function fourEyesOf({ name, four_eyes: wanted }: Rule): Verdict[] {
  if (wanted === undefined) return [];
  const says = 'nobody approves a session in which they have a part';
  return [{ rule: name, limit: 'four_eyes', table: null, holds: true, says }];
}
