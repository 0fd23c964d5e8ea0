/** Unstage: removes staged rows from an active session, with all rows that depend on them; or none. */
import type { Database, Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import { JsonText, stringifyJson } from '../../model/json.ts';
import type { Session } from '../../model/session.ts';
import { emit, isEmitted } from '../../staging/event-store.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import { lockSession, requireTransition } from '../../staging/session-lock.ts';
import { getSession } from '../../staging/session-store.ts';
import { withinBudget, yieldFirst } from '../lock-budget.ts';
import { demandAcceptable } from '../rehearsal/trial.ts';
import { renewOutdated } from '../renew.ts';
import { arraysOf, dependentLineages, stagedTables } from './lineages.ts';
import type { Choice } from './row-choice.ts';
import { demandOperable, pick, refuseParked } from './row-choice.ts';
import type { RowCount, UnstagedRow } from './row-names.ts';
import { countFacts, countRows, mostNamed, Names, rowFacts } from './row-names.ts';

export interface Unstaging {
  readonly rows: readonly Choice[];
  /** Whether to unstage dependent rows, too. Otherwise they make the request fail. */
  readonly withDependents: boolean;
  /** The authenticated name of the requesting user. */
  readonly unstagedAs: string | null;
  /** Whether only counts are returned for tables that a role that staged in the session may not read. */
  readonly readableOnly?: boolean;
  /** How long production may take to apply what is left in a trial, in milliseconds; null for no trial. */
  readonly trialMs: number | null;
  /** The total time that it may wait for locks of others. */
  readonly lockTimeoutMs: number;
}

export interface Unstaged {
  readonly session: Session;
  /** The number of unstaged rows, by table. */
  readonly counts: readonly RowCount[];
  /** The first of them. */
  readonly rows: readonly UnstagedRow[];
  /** Whether there was a trial: production accepts what is left, or would have refused the session before, too. */
  readonly isTried: boolean;
}

/**
 * Unstages rows of an active session: the overlay shows production's rows again, and approval replays nothing of them.
 * @throws StageError `session_not_found`, `invalid_transition`, `session_busy`, `no_such_change` for a row that is not staged,
 * `has_dependents` with the rows that depend on them, `not_unstageable`, `busy`, `took_too_long`; nothing is changed then
 */
export async function unstageRows(db: Database, id: string, asked: Unstaging): Promise<Unstaged> {
  await renewOutdated(db, id);
  let number = '0';
  return withinBudget(asked.lockTimeoutMs, () =>
    db.transaction(
      async (tx) => {
        const done = await unstageLocked(db, tx, id, asked);
        number = done.number;
        return done.unstaged;
      },
      'read committed',
      (tx) => isEmitted(tx, number, sessionUuid(id)),
    ),
  );
}

async function unstageLocked(
  db: Database,
  tx: Queryable,
  id: string,
  asked: Unstaging,
): Promise<{ readonly unstaged: Unstaged; readonly number: string }> {
  const session = await lockSession(tx, id);
  requireTransition(session, 'unstage');
  const { uuid } = session;
  await tx.query('DISCARD PLANS');
  await yieldFirst(tx);
  await refuseParked(tx, uuid);
  const tables = await stagedTables(tx, uuid, asked.readableOnly ?? false);
  const picked = await pick(tx, uuid, tables, asked.rows);
  demandOperable(tables, picked);
  const dependents = await dependentLineages(tx, uuid, picked.lineages);
  const names = new Names(tx, uuid, tables);
  // guard: dependent rows are unstaged with their rows, or nothing is
  if (dependents.length > 0 && !asked.withDependents)
    throw hasDependents(dependents.length, await names.of(dependents, true));
  const all = [...picked.lineages, ...dependents];
  const rows = [...(await names.of(picked.lineages, false)), ...(await names.of(dependents, true))];
  const counts = await countRows(tx, uuid, tables, picked.whole, all);
  const take = () =>
    tx.query('SELECT stage.unstage_lineages($1, $2, $3, $4)', [
      uuid,
      ...arraysOf(all),
      `{${picked.whole.join(',')}}`,
    ]);
  await demandAcceptable(db, tx, uuid, { ...asked, change: take });
  await tx.query('SELECT stage.note_edit($1, $2)', [uuid, asked.unstagedAs]);
  const body = new JsonText(stringifyJson({ tables: countFacts(counts) }));
  const number = await emit(tx, { ...session, kind: 'unstaged', by: asked.unstagedAs, body });
  const isTried = asked.trialMs !== null;
  const unstaged = { session: await getSession(tx, id), counts, isTried };
  return { unstaged: { ...unstaged, rows: rows.slice(0, mostNamed) }, number };
}

/** Returns the error for rows that would have to be unstaged, too. */
export function hasDependents(count: number, rows: readonly UnstagedRow[]): StageError {
  return new StageError(
    'has_dependents',
    `${count === 1 ? 'a staged row depends' : `${count} staged rows depend`} on what is taken out`,
    {
      hint: 'Take them out, too, with --with-dependents ("with_dependents": true).',
      facts: { dependents: rows.slice(0, mostNamed).map(rowFacts), dependents_count: count },
    },
  );
}
