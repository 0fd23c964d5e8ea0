/** Counts the rows that a client was told are written and committed. All of them must be in its session. */
import type { TestDaemon } from '../../helpers/daemon.ts';

const written = /^C (?:INSERT \d+|UPDATE|DELETE|MERGE) (\d+)/;

/**
 * Counts from the server's responses, in words. If these leave open what a ROLLBACK undoes (it may be one to a savepoint), nothing written
 * before counts. The result is the least number of rows that must be staged.
 */
export function acknowledgedRows(answers: readonly string[]): number {
  const count = { committed: 0, pending: 0 };
  const batch = { failed: false, copies: false };
  for (const answer of answers) {
    count.pending += rowsOf(answer, batch.copies);
    if (answer.startsWith('G')) batch.copies = true;
    if (answer.startsWith('E ')) batch.failed = true;
    if (answer.startsWith('C ROLLBACK')) count.pending = 0;
    if (answer.startsWith('C COMMIT')) commit(count);
    if (!answer.startsWith('Z ')) continue;
    if (batch.failed) count.pending = 0;
    if (answer === 'Z I') commit(count);
    Object.assign(batch, { failed: false, copies: false });
  }
  return count.committed;
}

/**
 * Returns the number of rows that a response acknowledges.
 * @param copies whether the server has requested the data of a COPY: COPY TO has the same tag
 */
function rowsOf(answer: string, copies: boolean): number {
  const [, rows = 0] = written.exec(answer) ?? (copies ? /^C COPY (\d+)/.exec(answer) : null) ?? [];
  return Number(rows);
}

function commit(count: { committed: number; pending: number }): void {
  count.committed += count.pending;
  count.pending = 0;
}

/** Counts the rows in a session's mutation log. */
export async function stagedRows(daemon: TestDaemon, session: string): Promise<number> {
  const { status, body } = await daemon.call('GET', `/sessions/${session}/mutations?limit=1000`);
  if (status !== 200) throw new Error(`mutations: ${status} ${JSON.stringify(body)}`);
  const { mutations } = body as { mutations: readonly { affected_rows: number }[] };
  return mutations.reduce((sum, { affected_rows }) => sum + affected_rows, 0);
}
