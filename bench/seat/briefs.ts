import { createDatabase } from '../../src/db/database.ts';
import { readBrief } from '../../src/review/brief/brief.ts';
import { countChanges, diffTables } from '../../src/review/diff/diff-tables.ts';
import { inSnapshot } from '../../src/review/snapshot.ts';
import { sessionUuid } from '../../src/staging/session-id.ts';
import { sessionOf } from '../daemon.ts';
import type { Scene } from './scene.ts';
import { ask, least, median, print, query } from './scene.ts';

const few = 100;

/** Compares the brief of an active session with the counts of its changes, and with a brief of few changes. */
export async function briefs(scene: Scene, id: string): Promise<void> {
  const db = createDatabase({ url: scene.server, maxConnections: 1 });
  const rules = { readableOnly: false, ownOnly: false, sensitiveColumns: [] };
  const brief = (of: string) => readBrief(db, of, rules);
  try {
    const count = () =>
      inSnapshot(db, async (tx) => {
        for (const table of await diffTables(tx, sessionUuid(id), 'active'))
          await countChanges(tx, table);
      });
    print('counts of the changes', await least(count, 3));
    const { tables } = await brief(id);
    print('brief', `${await least(() => brief(id), 3)}, of a sample of ${tables[0]?.sampled}`);
    const small = await scene.daemon.newSession('production');
    await query(small, `UPDATE large SET price = price * 1.1 + 1 WHERE id <= ${few}`);
    print(`brief of ${few} changes, median`, await median(() => brief(sessionOf(small)), 49));
    await ask(scene, 'DELETE', `/sessions/${sessionOf(small)}`);
  } finally {
    await db.close();
  }
}
