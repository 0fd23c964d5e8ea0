/** Random conversations get the responses of PostgreSQL. None is lost, and none hangs. STAGE_TEST_STATEMENTS is their number. */
import type { TestDatabase } from '../helpers/database.ts';
import { firstDifference } from '../helpers/first-difference.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import type { Conversation } from '../helpers/random-conversation.ts';
import {
  asScript,
  conversationSchema,
  randomConversation,
  withoutFreed,
} from '../helpers/random-conversation.ts';
import { pipelineSchema } from '../helpers/random-pipeline.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Pause } from '../helpers/wire-script.ts';
import { q, runScript, s } from '../helpers/wire-script.ts';

const count = drawn(25, 'STATEMENTS');
const first = firstSeed();
/** The maximum number of parts that are tried to be left out of a differing conversation. */
const maxCuts = 40;

/** Whether the first difference is a portal whose Bind has failed: PostgreSQL takes it for an empty query. */
function isOfFailedBind(staged: readonly string[], direct: readonly string[]): boolean {
  const at = direct.findIndex((message, index) => message !== staged[index]);
  return /^[In] $/.test(direct[at] ?? '') && / C=34000 /.test(staged[at] ?? '');
}

/** Whether the first difference is an error after which a client tries again. A table has just been altered, and the batch had no Sync. */
function isOfAltered(staged: readonly string[], direct: readonly string[]): boolean {
  const at = staged.findIndex((message, index) => message !== direct[index]);
  return / C=40001 M=could not serialize access due to a concurrent change of a table /.test(
    staged[at] ?? '',
  );
}

suite('conversations', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(conversationSchema);
  });
  test.after(() => proxied.stop());

  let altered = 0;
  /** Alters what a table accepts, in a way that no client sees, so that whatever the proxy knows of it is outdated. */
  const alter = async (database: TestDatabase, table: string) => {
    altered += 1;
    await database.query("SET lock_timeout = '10s'");
    await database.query(
      `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS beyond, ADD CONSTRAINT beyond CHECK (id > -1000 - ${altered})`,
    );
  };
  const script = (conversation: Conversation, database: TestDatabase) =>
    conversation.flatMap<Buffer | Pause>((step, at) => {
      const table = at % 2 === 0 ? 'item' : 'part';
      return step === 'alter' ? [s, q('ROLLBACK'), 'wait', () => alter(database, table)] : [step];
    });

  const answers = async (conversation: Conversation, cut: number) => {
    const [, , ...fill] = pipelineSchema.trim().split('\n');
    await proxied.twin.query(['TRUNCATE item, part, note', ...fill].join(';\n'));
    const reports = (message: string) => !message.startsWith('S ');
    const reported = async (url: string, database: TestDatabase) => {
      const random = createRandom(cut);
      const nextSize = random.chance(0.5) ? () => 1 + random.below(100) : () => 1e9;
      return (await runScript(url, script(conversation, database), nextSize)).filter(reports);
    };
    return [
      await reported(await proxied.session('staged'), proxied.database),
      await reported(proxied.twin.url, proxied.twin),
    ] as const;
  };

  const differs = async (conversation: Conversation, cut: number) => {
    const [staged, direct] = await answers(conversation, cut);
    return direct.at(-1) !== 'closed' && JSON.stringify(staged) !== JSON.stringify(direct);
  };

  /** Removes the parts that the difference does not need. */
  const shrink = async (conversation: Conversation, cut: number): Promise<Conversation> => {
    let least = conversation;
    let cuts = 0;
    for (let size = least.length >> 1; size > 0; size >>= 1) {
      for (let at = 0; at < least.length && cuts < maxCuts; cuts += 1) {
        const less = withoutFreed(least.toSpliced(at, size));
        if (await differs(less, cut)) least = less;
        else at += size;
      }
    }
    return least;
  };

  const all = async () => {
    const production = await proxied.contents();
    const differing: string[] = [];
    for (let seed = first; seed < first + count; seed += 1) {
      const random = createRandom(seed);
      const conversation = withoutFreed(randomConversation(random, 2 + random.below(8)));
      const [staged, direct] = await answers(conversation, seed);
      // What follows would be compared with nothing.
      if (direct.includes('hangs')) differing.push(`${seed}: the client waits for no response`);
      if (JSON.stringify(staged) === JSON.stringify(direct)) continue;
      if (isOfFailedBind(staged, direct) || isOfAltered(staged, direct)) continue;
      process.stderr.write(`STAGE_TEST_SEED=${seed} ${firstDifference(staged, direct)}\n`);
      const least = await shrink(conversation, seed);
      process.stderr.write(`STAGE_TEST_SEED=${seed}: tell(url, [\n${asScript(least)}\n])\n`);
      differing.push(`${seed} ${firstDifference(...(await answers(least, seed)))}`);
    }
    assert.equal(differing, []);
    assert.equal(await proxied.contents(), production, 'production');
  };
  test(`${count} of them, from seed ${first}`, all, { timeout: 36_000_000 });
});
