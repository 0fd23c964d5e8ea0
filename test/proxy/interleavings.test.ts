/**
 * Connections of one session, step by step: they wait and fail as on the tables themselves, and they and approval leave the same rows.
 * The two protocols alternate. `STAGE_TEST_FORMS=all npm test -- proxy/interleavings` runs each schedule in both.
 */
import pg from 'pg';
import { firstDifference } from '../helpers/first-difference.ts';
import { formsInTurn } from '../helpers/forms.ts';
import { interleave } from '../helpers/interleaving.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { doubts } from './interleaving-doubts.ts';
import { keyChanges } from './interleaving-keys.ts';
import { obstacles, otherwise } from './interleaving-obstacles.ts';
import { interleavings } from './interleaving-steps.ts';
import { fill, remains, schema } from './interleaving-tables.ts';

const all = { ...interleavings, ...obstacles, ...keyChanges, ...doubts };

suite('two connections of one session, step by step', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema + fill);
  });
  test.after(() => proxied.stop());

  for (const [turn, [name, steps]] of Object.entries(all).entries()) {
    for (const mode of formsInTurn([undefined, 'extended'] as const, turn, 2)) {
      test(`${name}${mode ? ', extended protocol' : ''}`, async () => {
        const { database, twin, daemon } = proxied;
        for (const each of [database, twin]) await each.query(fill);
        const id = await daemon.newSession({ reads: 'staged' });
        const session = daemon.clientUrl(id);
        const [staged, direct] = await Promise.all([
          interleave(database, session, steps, { queryMode: mode }),
          interleave(twin, twin.url, steps, { queryMode: mode }),
        ]);
        assert.equal(staged, direct, firstDifference(staged, direct));
        const rows = await rowsOf(twin.url);
        assert.equal(await rowsOf(session), rows);
        await daemon.call('POST', `/sessions/${id}/propose`);
        const answer = await daemon.call('POST', `/sessions/${id}/approve`);
        assert.is(answer.status, 200, answer.text);
        assert.equal(await rowsOf(database.url), rows);
      });
    }
  }

  for (const [name, [steps, mine, theirs]] of Object.entries(otherwise)) {
    test(`otherwise than in PostgreSQL: ${name}`, async () => {
      const { database, twin, session } = proxied;
      for (const each of [database, twin]) await each.query(fill);
      const outcome = async (url: string, of: typeof twin) =>
        (await interleave(of, url, steps)).at(-2)?.split(': ').at(-1);
      assert.is(await outcome(await session('staged'), database), mine);
      assert.is(await outcome(twin.url, twin), theirs);
    });
  }

  async function rowsOf(url: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(remains);
    await client.end();
    return rows;
  }
});
