/**
 * The weight of a text bounds the work of classifying it, for random texts that grow. The work is counted: in PostgreSQL's parser by
 * function calls and loop iterations, in the product's by the blocks that run. Both counts are independent of the machine.
 */
import { Session } from 'node:inspector';
import { drawn, firstSeed } from '../../helpers/net.ts';
import { createRandom } from '../../helpers/random.ts';
import { assert, suite } from '../../helpers/suite.ts';
import { meterWebAssembly } from '../../helpers/wasm-meter.ts';
import type { Growing } from '../growing-texts.ts';
import { growingSigns, growingStatement } from '../growing-texts.ts';

const steps = meterWebAssembly();
// Imported, and so compiled, after counting has begun.
const { allowHeavyTexts, loadParser, scanTokens } = await import(
  '../../../src/sql/parser/parser.ts'
);
const { parseQuery } = await import('../../../src/sql/classify/parse-query.ts');
const { weightOf } = await import('../../../src/sql/parser/text-weight.ts');

const rounds = drawn(40, 'STATEMENTS');
const sizes = [40, 160, 640];

/** The most work for a text, for each token of its weight and for each byte. */
const most = { stepsOfToken: 2000, blocksOfToken: 250, ofByte: 64, ofText: 10_000 };

suite('the work of classifying', (test) => {
  const inspector = new Session();
  test.before(async () => {
    allowHeavyTexts();
    await loadParser();
    inspector.connect();
    inspector.post('Profiler.enable');
    inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  });
  test.after(() => inspector.disconnect());

  /** Runs a function, and returns its work. */
  async function workOf(run: () => unknown) {
    blocksRun(inspector);
    const before = steps();
    try {
      run();
    } catch {
      // The grammar does not accept the text.
    }
    const work = { steps: steps() - before, blocks: blocksRun(inspector) };
    // The parser instance may be lost.
    await loadParser();
    return work;
  }

  async function isBounded(growing: Growing, seed: number, run: (text: Buffer) => unknown) {
    for (const size of sizes) {
      const text = Buffer.from(growing(size));
      const weight = weightOf(text, 1e6);
      if (weight > 1e5) return;
      const work = await workOf(() => run(text));
      const fixed = most.ofText + most.ofByte * text.length;
      const reported = JSON.stringify({ seed, size, length: text.length, weight, ...work });
      const shown = `${reported} ${text.toString('utf8', 0, 300)}`;
      assert.ok(work.steps <= fixed + weight * most.stepsOfToken, shown);
      assert.ok(work.blocks <= fixed + weight * most.blocksOfToken, shown);
    }
  }

  test('of statements is bounded by their weight', async () => {
    for (let seed = firstSeed(); seed < firstSeed() + rounds; seed += 1)
      await isBounded(growingStatement(createRandom(seed)), seed, (text) => parseQuery(text));
  });

  test('of whatever is scanned is bounded by its weight', async () => {
    for (let seed = firstSeed(); seed < firstSeed() + rounds; seed += 1)
      await isBounded(growingSigns(createRandom(seed)), seed, (text) => scanTokens(text));
  });
});

/** Returns the number of blocks of the product's parser that have run since the last call. */
function blocksRun(inspector: Session): number {
  let blocks = 0;
  inspector.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error) throw error;
    const ours = coverage.result.filter(({ url }) => url.includes('/src/sql/'));
    const ranges = ours.flatMap(({ functions }) => functions).flatMap((each) => each.ranges);
    blocks = ranges.reduce((sum, { count }) => sum + count, 0);
  });
  return blocks;
}
