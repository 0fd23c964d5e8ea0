/** Notifications of triggers: nobody is notified while rows are staged, because production's triggers notify at approval. */
import type { Table, Trigger } from '../../model/table.ts';
import type { BodyReplacement } from '../../sql/functions/body-upserts.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import type { ByteRange } from '../../sql/splice.ts';
import { isWithin } from '../../sql/splice.ts';
import { anyBeforeAsOwner } from '../triggers/candidates.ts';
import { Obstacle } from './function-script.ts';

/** The function that notifies, as `allow_functions` names it. */
export const notifying = 'pg_catalog.pg_notify';

/** Returns whether a name is that of PostgreSQL's function that notifies, which comes first in each search path. */
export const isNotify = ({ schema, name }: QualifiedName) =>
  name === 'pg_notify' && (schema === null || schema === 'pg_catalog');

/** @throws Obstacle for a trigger whose notifications are lost, or that calls the function in a way that its copy would call it, too */
export function demandStandIns(table: Table, trigger: Trigger, body: BodyUses): void {
  const count = body.functions.filter(isNotify).length;
  if (count === 0) return;
  // guard: a trigger that notifies of TRUNCATE does not fire while staging: it does not fire at approval, which deletes the rows
  if (trigger.events.includes('truncate'))
    throw new Obstacle('notifies for TRUNCATE, which approval applies as deletions');
  // guard: a trigger that notifies and may suppress its row fires at approval only: it would not fire there for a suppressed row
  if (isBeforeRow(trigger) && /\breturn\s+null\b/i.test(trigger.function.body))
    throw new Obstacle('notifies, and may suppress its row');
  // guard: no notification is lost with a row that a trigger with other rights suppresses
  if (isBeforeRow(trigger) && anyBeforeAsOwner(table))
    throw new Obstacle(
      "notifies before a row is staged, beside triggers with their owners' rights",
    );
  const isInUpsert = (call: ByteRange) => body.upserts.some(({ clause }) => isWithin(call, clause));
  const replaced = body.called.filter((call) => isNotify(call) && !isInUpsert(call));
  // guard: a copy of a trigger notifies nobody
  if (replaced.length !== count)
    throw new Obstacle('calls pg_notify() in a way that cannot be followed');
}

/** Returns the replacements of the calls that notify, by a function that only checks their arguments. */
export function standInsOf(trigger: Trigger, { called }: BodyUses): BodyReplacement[] {
  const text = isBeforeRow(trigger) ? 'stage.pg_notify_before' : 'stage.pg_notify';
  return called.filter(isNotify).map(({ start, end }) => ({ start, end, text }));
}

const isBeforeRow = ({ timing, level }: Trigger) => timing === 'before' && level === 'row';
