/**
 * Random schemas go through the whole life cycle beside a twin: staged, shown, in conflict, resolved, unstaged, rehearsed, approved,
 * rejected, reverted. No response is a 500, and nothing differs. STAGE_TEST_SCHEMAS is their number, STAGE_TEST_SEED the first seed.
 */
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import type { DrawnTable } from '../helpers/random-schema.ts';
import { drawTable, drawWrite, sharedDefinitions } from '../helpers/random-schema.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, runScript } from '../helpers/wire-script.ts';

const schemas = drawn(1, 'SCHEMAS');
const first = firstSeed();

suite(`drawn schemas, from seed ${first}`, (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(sharedDefinitions);
  });
  test.after(() => proxied.stop());

  const call = async (method: string, path: string, json?: object) => {
    const { daemon } = proxied;
    const answer = await daemon.call(method, `/sessions/${path}`, json ? { json } : {});
    const told = () => daemon.logged.filter((line) => line.includes('"error"')).slice(-2);
    assert.ok(answer.status < 500, `${path}: ${answer.text.slice(0, 900)} ${told()}`);
    return answer;
  };
  const done = async (path: string, json?: object) => {
    const { status, text, body } = await call('POST', path, json);
    assert.ok(status < 300, `${path}: ${text.slice(0, 900)}`);
    return body;
  };
  const both = async (text: string) => {
    await proxied.database.query(text);
    await proxied.twin.query(text);
  };
  const assertTwins = async (when: string) =>
    assert.equal(await proxied.contents(), await proxied.twinContents(), when);

  /** Sends the same to both sides. Returns the session. */
  async function stage(writes: readonly string[]): Promise<string> {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const messages = writes.map((text) => q(text));
    const staged = await runScript(proxied.daemon.clientUrl(id), messages);
    const direct = await runScript(proxied.twin.url, messages);
    assert.equal(inAnyOrder(staged), inAnyOrder(direct), writes.join(';\n'));
    return id;
  }

  async function look(id: string): Promise<void> {
    for (const path of ['diff', 'diff?steps=true', 'conflicts', 'log'])
      await call('GET', `${id}/${path}`);
  }

  async function approve(id: string, when: string): Promise<void> {
    await done(`${id}/rehearse`);
    await done(`${id}/propose`);
    await done(`${id}/approve`);
    await assertTwins(when);
  }

  /** Approves, reverts, and reverts the revert, which is then left. */
  async function approved(writes: readonly string[]): Promise<void> {
    const before = await proxied.contents();
    const id = await stage(writes);
    await look(id);
    await approve(id, `approved: ${writes.join(';\n')}`);
    const reverted = await call('POST', `${id}/revert`);
    if (reverted.status === 409) return;
    assert.is(reverted.status, 201, reverted.text);
    await look(reverted.body.id);
    await done(`${reverted.body.id}/propose`);
    await done(`${reverted.body.id}/approve`);
    assert.equal(await proxied.contents(), before, `taken back: ${writes.join(';\n')}`);
    const again = await done(`${reverted.body.id}/revert`);
    await approve(again.id, `taken back twice: ${writes.join(';\n')}`);
  }

  /** Resolves conflicts with production's new rows. The remaining changes may be refused, but nothing else may fail. */
  async function settled(random: Random, tables: readonly DrawnTable[]): Promise<void> {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const draw = () => drawWrite(random, random.pick(tables));
    await runScript(
      proxied.daemon.clientUrl(id),
      Array.from({ length: 5 }, () => q(draw())),
    );
    await runScript(
      proxied.database.url,
      Array.from({ length: 4 }, () => q(draw())),
    );
    await look(id);
    const { tables: changed } = (await call('GET', `${id}/diff`)).body;
    const [one] = Object.entries(changed ?? {}) as [string, { changes: { row_id: unknown }[] }][];
    const row = one?.[1].changes[0];
    if (one && row && random.chance(0.5))
      await call('POST', `${id}/unstage`, { rows: [{ table: one[0], row_id: row.row_id }] });
    await call('POST', `${id}/resolve`, { all: random.pick(['mine', 'theirs']) });
    await call('POST', `${id}/rehearse`);
    const before = await proxied.contents();
    await call('POST', `${id}/propose`);
    await look(id);
    if (random.chance(0.5)) {
      await call('POST', `${id}/reject`);
      assert.equal(await proxied.contents(), before, 'rejected');
    } else await call('POST', `${id}/approve`);
  }

  for (let seed = first; seed < first + schemas; seed += 1) {
    test(
      `seed ${seed}`,
      async () => {
        const random = createRandom(seed);
        const tables: DrawnTable[] = [];
        for (let number = 1; number <= 3; number += 1)
          tables.push(drawTable(random, number, tables));
        const create = tables.map((table) => table.create).join('\n');
        await both(create);
        const draw = (count: number) =>
          Array.from({ length: count }, () => drawWrite(random, random.pick(tables)));
        try {
          await bothTold(draw(12));
          await approved(draw(10));
          await settled(random, tables);
        } catch (error) {
          (error as Error).message += `\nseed ${seed}: ${create}`;
          throw error;
        } finally {
          await both(`DROP TABLE ${tables.map(({ name }) => name).join(', ')} CASCADE`);
        }
      },
      { timeout: 600_000 },
    );
  }

  /** Writes the initial rows on both sides. */
  async function bothTold(writes: readonly string[]): Promise<void> {
    for (const { url } of [proxied.database, proxied.twin]) await runScript(url, writes.map(q));
    await assertTwins('at the beginning');
  }
});

/** Sorts the rows of each response, because their order is free. */
function inAnyOrder(answers: readonly string[]): string[] {
  const sorted: string[] = [];
  let rows: string[] = [];
  for (const answer of answers) {
    if (answer.startsWith('D ')) rows.push(answer);
    else {
      // user-defined types have other OIDs there
      sorted.push(...rows.sort(), answer.startsWith('T ') ? 'T' : answer);
      rows = [];
    }
  }
  return sorted;
}
