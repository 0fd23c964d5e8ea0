/** Notifications of triggers: nobody is notified while rows are staged, because production's triggers notify at approval. */
import type { Table, Trigger } from '../../model/table.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import { isNotify } from '../../sql/functions/notifications.ts';
import type { ByteRange } from '../../sql/splice.ts';
import { isWithin } from '../../sql/splice.ts';
import { anyBeforeAsOwner } from '../triggers/candidates.ts';
import { Obstacle } from './function-script.ts';

/** The function that notifies, as `allow_functions` names it. */
export const notifying = 'pg_catalog.pg_notify';

/** @throws Obstacle for a trigger that notifies, by itself or through functions that it calls, and whose notifications may be lost */
export function demandSent(table: Table, trigger: Trigger): void {
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
}

/** @throws Obstacle for a body that notifies in a way in which its copy would, too */
export function demandStandIns({ functions, called, upserts }: BodyUses): void {
  const isInUpsert = (call: ByteRange) => upserts.some(({ clause }) => isWithin(call, clause));
  const replaced = called.filter((call) => isNotify(call) && !isInUpsert(call));
  // guard: a copy notifies nobody
  if (replaced.length !== functions.filter(isNotify).length)
    throw new Obstacle('calls pg_notify() in a way that cannot be followed');
}

const isBeforeRow = ({ timing, level }: Trigger) => timing === 'before' && level === 'row';
