/** Random conversations about temporary tables get PostgreSQL's responses. STAGE_TEST_STATEMENTS is their number. */
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { runScript } from '../helpers/wire-script.ts';
import { temporaryConversation, temporarySchema } from './temporary-draws.ts';

const count = drawn(15, 'STATEMENTS');
const first = firstSeed();

suite('random temporary tables', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(temporarySchema);
  });
  test.after(() => proxied.stop());

  const all = async () => {
    const fill = temporarySchema.split('\n').filter((line) => line.startsWith('INSERT'));
    const production = await proxied.contents();
    for (let seed = first; seed < first + count; seed += 1) {
      const random = createRandom(seed);
      const conversation = temporaryConversation(random, 4 + random.below(14));
      await proxied.twin.query(['TRUNCATE item, other', ...fill].join(';\n'));
      const staged = await runScript(await proxied.session('staged'), conversation);
      const direct = await runScript(proxied.twin.url, conversation);
      assert.equal(staged, direct, `seed ${seed}`);
    }
    assert.equal(await proxied.contents(), production, 'production');
  };
  test(`${count} of them, from seed ${first}`, all, { timeout: 36_000_000 });
});
