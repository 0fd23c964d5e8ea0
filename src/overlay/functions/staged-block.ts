/** The text that runs in place of a DO block. Unlike a function, a block has no copy in the database: the statement carries it. */
import type { Queryable } from '../../db/database.ts';
import { readBodyAnywhere } from '../../sql/functions/function-body.ts';
import { oidArray } from '../object-names.ts';
import { beyondExtent } from './check-body.ts';
import { checkWriting, noteWritten } from './check-writing.ts';
import { clientQueries } from './client-query.ts';
import { Obstacle, reasonOf } from './function-script.ts';
import type { FunctionUses } from './known-functions.ts';
import { distinct } from './known-functions.ts';
import type { RecordedName } from './own-path.ts';
import { replacedBody } from './replaced-body.ts';
import type { Context } from './staged-function.ts';
import { replacementsIn } from './staged-function.ts';

/** The facts about a block under a search path. */
export interface StagedBlock {
  /** The block with names of overlays in place of those of tables; null if it cannot be staged. */
  readonly body: string | null;
  /** The names that it uses, for stage.resolve_block. */
  readonly uses: string;
  /** The tables that it writes to, by their full names. */
  readonly written: readonly RecordedName[];
  /** The stamp of the definitions that the text was made from. */
  readonly stamp: string;
  /** Why it cannot be staged, as the end of "the block ..."; null if it can. */
  readonly obstacle: string | null;
}

/** Follows a DO block, or finds the reason why it cannot be staged. */
export async function followBlock(
  tx: Queryable,
  body: string,
  path: readonly number[],
  server: number,
): Promise<StagedBlock> {
  const uses: FunctionUses = { relations: [], functions: [], written: [], writes: true };
  await tx.query('SAVEPOINT staged_block');
  const found = await copyOf({ tx, path, server, open: new Set(), stages: true }, body, uses).then(
    (text) => ({ body: text, obstacle: null }),
    (error: Error) => ({ body: null, obstacle: reasonOf(error) }),
  );
  if (found.body === null) await tx.query('ROLLBACK TO SAVEPOINT staged_block');
  await tx.query('RELEASE SAVEPOINT staged_block');
  const named = JSON.stringify(distinct(uses));
  const [row] = await tx.query('SELECT stage.function_stamp($1, $2) AS stamp', [
    named,
    oidArray(path),
  ]);
  return { ...found, uses: named, written: uses.written, stamp: row?.['stamp'] ?? '' };
}

/** Returns the text that runs. @throws Obstacle, or PostgreSQL's errors */
async function copyOf(context: Context, body: string, uses: FunctionUses): Promise<string> {
  const head = 'inline_code_block() RETURNS void';
  const read = await readBodyAnywhere({ language: 'plpgsql', body, head, extent: 'writes' });
  if (read === null) throw new Obstacle(beyondExtent('writes'));
  await checkWriting(context, [read.uses], uses);
  await noteWritten(context, read.uses, uses);
  const replacements = await replacementsIn(context, read.uses, uses);
  return replacedBody(read, [...replacements, ...clientQueries(read.uses)]);
}
