/** The confirmation of a decision: how much a session changes, in which database, and the digest of exactly that. */

import { tableCell } from '../client/cell.ts';
import { DiffReader } from '../client/diff-reader.ts';
import { approvalsInWords, readApprovals } from '../client/policy.ts';
import { sanitize } from '../client/sanitize.ts';
import { aboutSession } from '../client/session-words.ts';
import { countsInWords, triggersInWords } from '../client/words.ts';
import { changesIn } from '../model/change.ts';
import { JsonText } from '../model/json.ts';
import { shortId } from '../model/session.ts';
import type { Connection, Context } from './context.ts';
import type { Totals } from './diff/format.ts';
import { totalsOf } from './diff/format.ts';
import { grouped } from './progress.ts';
import { ask, demandTerminal } from './prompt.ts';
import { readMarks } from './review-marks.ts';

interface Review {
  readonly totals: Totals;
  /** The triggers of production that run when it is applied, by table. */
  readonly triggers: readonly string[];
  /** The digest that `approve --digest` takes. */
  readonly digest: string | null;
}

/** Reads how much a session changes, without its changes. */
async function readReview({ api }: Connection, id: string): Promise<Review> {
  const reader = new DiffReader();
  for await (const text of api.diffText(id, { limit: 0 })) reader.push(text);
  reader.end();
  const triggers = reader.counts.flatMap(({ table }) => {
    const words = triggersInWords(reader.triggersOf(table));
    return words === null ? [] : [`${tableCell(table)}: ${words}`];
  });
  return { totals: totalsOf(reader), triggers, digest: reader.digest };
}

export interface Agreement {
  readonly agreed: boolean;
  /** The digest of the diff whose counts were shown; null if no question was asked. */
  readonly digest: string | null;
  /** Describes how much the session changes. */
  readonly size: string;
}

/**
 * Asks the person at the terminal to confirm, showing the session's counts and the database's name, unless --yes was given. A single
 * key does not confirm.
 * @param action the action, e.g. `Apply to production`
 * @throws StageError `usage` without a terminal
 */
export async function agree(
  context: Context,
  connection: Connection,
  id: string,
  { action, yes }: { readonly action: string; readonly yes: true | undefined },
): Promise<Agreement> {
  if (yes) return { agreed: true, digest: null, size: await statementsOf(context, connection, id) };
  demandTerminal(context.host, context.out);
  const { totals, triggers, digest } = await readReview(connection, id);
  const { value: session, body } = await connection.api.getSession(id);
  const marks = await readMarks(context.host, connection.settings.server, id);
  const { database } = (await connection.api.info()).value;
  const size = `${countsInWords(totals)} in ${totals.tables} table${totals.tables === 1 ? '' : 's'}`;
  const changes = changesIn(totals);
  await context.out.note(`${id}: ${size}, database ${sanitize(database)}.`);
  await context.out.note(`It was ${aboutSession(session)}.`);
  const votes = readApprovals(new JsonText(body));
  if (votes !== null) await context.out.note(`Approvals: ${approvalsInWords(votes)}.`);
  for (const line of triggers) await context.out.note(line);
  await context.out.note(
    `${grouped(Math.min(marks.size, changes))} of ${grouped(changes)} changes marked as reviewed.`,
  );
  const words = ['yes', shortId(id)];
  const question = `${action}? Type ${words.join(' or ')} to go on: `;
  const answer = await ask(context.host, question, connection.interruption);
  const agreed = words.includes(answer ?? '');
  if (!agreed) await context.out.note('Nothing was done.');
  return { agreed, digest, size };
}

/** Describes the size of a session by its statements, without counting its rows. They are requested only if progress is shown. */
async function statementsOf({ out }: Context, { api }: Connection, id: string): Promise<string> {
  if (!out.live) return 'the session';
  const { mutationCount } = (await api.getSession(id)).value;
  return `the rows of ${grouped(mutationCount)} statement${mutationCount === 1 ? '' : 's'}`;
}
