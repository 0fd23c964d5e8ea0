/** Converts production's refusal of an approval to an error for the user. */
import { upstreamTrouble } from '../../db/upstream-error.ts';
import { StageError } from '../../errors.ts';
import type { JsonText } from '../../model/json.ts';
import { inOrder } from '../../model/member-order.ts';
import { InTheWay } from '../lock-budget.ts';

/** Facts of a refusal as `stage.apply_session` returns them. */
export interface ProductionRefusal {
  readonly sqlstate: string;
  readonly message: string;
  readonly detail: string | null;
  /** Whether code of users raised the error. Its SQLSTATE then tells nothing about the server. */
  readonly raised: boolean;
  readonly table: string | null;
  readonly constraint: string | null;
  /** The row_id, if the refused statement changed a single row. */
  readonly row: string | number | Readonly<Record<string, string | number>> | null;
  /** The columns of its key, in order. */
  readonly key: readonly string[] | null;
}

/** Returns the row_id of the refused row, if it was a single one. */
export const refusedRow = ({ row, key }: ProductionRefusal): JsonText | null =>
  row === null ? null : inOrder(JSON.stringify(row), key ?? []);

/** Builds the error of a refusal. The hint suggests to reject the session only where the changes themselves are refused. */
export function refusalError(refusal: ProductionRefusal): Error {
  const { sqlstate, message, detail, raised, table, constraint } = refusal;
  const row = refusedRow(refusal);
  if (InTheWay.has(sqlstate) && !raised) return new InTheWay(sqlstate, message);
  return (
    (raised ? null : upstreamTrouble(sqlstate, message)) ??
    new StageError('apply_failed', `${whose(sqlstate)}: ${message}`, {
      hint: hintOf(sqlstate),
      ...(detail === null ? {} : { detail }),
      facts: { sqlstate, table, constraint, row, ...(detail === null ? {} : { detail }) },
    })
  );
}

const insufficientPrivilege = '42501';
const dataCorrupted = 'XX001';

const whose = (sqlstate: string) =>
  sqlstate === dataCorrupted
    ? 'the changes cannot be applied as a whole'
    : 'production refused the changes';

function hintOf(sqlstate: string): string {
  if (sqlstate === dataCorrupted) return damagedHint;
  return sqlstate === insufficientPrivilege ? rightsHint : refusedHint;
}

const damagedHint =
  'Nothing was applied. What is stored is damaged, in production or in the schema stage: find out who writes there. Then reject the session, and stage its changes anew.';

const refusedHint =
  'Nothing was applied. Reject the session and stage changes that production accepts.';

const rightsHint =
  'Nothing was applied. Grant the service account what it lacks and approve again, unless production means to forbid the change.';
