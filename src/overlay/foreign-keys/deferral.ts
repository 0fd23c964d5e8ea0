/** Deferrable constraints: checked when their statement ends, or at COMMIT, as SET CONSTRAINTS and the definitions determine. */
import { createHash } from 'node:crypto';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteLiteral } from '../../identifier.ts';
import type { ForeignKey, Table, Unique } from '../../model/table.ts';
import { functionName, shadowName } from '../object-names.ts';
import { uniqueSetChecks } from '../uniques.ts';
import { childCheck } from './foreign-keys.ts';
import { restriction } from './parent-steps.ts';
import type { ParentEvent } from './vanished-keys.ts';
import { actionOf, eventsOfUpdate, hasMoved } from './vanished-keys.ts';

/** A constraint, identified by its table and name as in SET CONSTRAINTS. */
export interface Deferral {
  readonly table: number;
  readonly name: string;
  readonly initially: boolean;
}

/** Returns the deferral of a foreign key. */
export const foreignKeyDeferral = ({ child, name, deferred }: ForeignKey): Deferral => ({
  table: child.partitions?.oids[0] ?? child.oid,
  name,
  initially: deferred,
});

/** Returns the deferral of a unique constraint. */
export const uniqueDeferral = (table: Table, { name, timing }: Unique): Deferral => ({
  table: table.oid,
  name,
  initially: timing === 'deferred',
});

/** Builds an SQL condition: the constraint is checked at COMMIT. */
const isDeferred = ({ table, name, initially }: Deferral) =>
  `stage.is_deferred(${table}, ${quoteLiteral(name)}, ${initially})`;

/** Builds a statement's check of a constraint that is skipped while the constraint is deferred. */
export function unlessDeferred(deferral: Deferral, check: string): string {
  return check === '' ? '' : `  IF NOT ${isDeferred(deferral)} THEN\n${check}\n  END IF;`;
}

interface DeferredCheck {
  readonly deferral: Deferral;
  readonly checks: readonly string[];
}

/** Builds, for each end of a deferrable constraint, the trigger that checks it at COMMIT or when it is made immediate. */
export function deferredSql(table: Table, server: number): string[] {
  const row = (alias: string) =>
    `${alias}._stage_session = NEW._stage_session AND ${alias}._stage_seq = NEW._stage_seq`;
  const ofRows = (rows: string): DeferredCheck[] => [
    ...table.references
      .filter(({ deferrable }) => deferrable)
      .map((key) => ({
        deferral: foreignKeyDeferral(key),
        checks: [childCheck(table, key, rows, true)],
      })),
    ...uniqueSetChecks(table, rows).map(({ unique, check }) => ({
      deferral: uniqueDeferral(table, unique),
      checks: [check],
    })),
  ];
  const moved = hasMoved(table, 's');
  // triggers fire in the order of their names: these sort in PostgreSQL's own order
  const checks: DeferredCheck[] = [
    // a row that moves to another partition is inserted there before the change of its key is checked
    ...(moved === null ? [] : ofRows(`${row('s')} AND s._stage_op = 'U' AND ${moved}`)),
    ...table.referencedBy.map((key) => ({
      deferral: foreignKeyDeferral(key),
      checks: (['delete', ...eventsOfUpdate(key)] as const)
        .filter((event) => isDeferrableFor(key, event))
        .map((event) => restriction(table, key, event, row('d'), false, server)),
    })),
    ...ofRows(row('s')),
  ];
  return checks
    .filter(({ checks }) => checks.length > 0)
    .map(({ deferral, checks }, index) =>
      fillSql(loadSql('table/foreign-keys/deferred.sql'), {
        function: functionName(table, 'deferred', index),
        trigger: `deferred_${String(index).padStart(4, '0')}_${digestOf(deferral)}`,
        shadow: shadowName(table),
        is_deferred: isDeferred(deferral),
        checks: checks.join('\n'),
      }),
    );
}

/** Returns whether a foreign key's reaction to an event can wait: only NO ACTION can. */
export function isDeferrableFor(key: ForeignKey, event: ParentEvent): boolean {
  return key.deferrable && actionOf(key, event) === 'no action';
}

/** Returns the same digest as `stage.deferral_name`. */
function digestOf({ table, name }: Deferral): string {
  return createHash('md5').update(`${table}.${name}`).digest('hex');
}
