/** The progress messages of a command that waits. */
import { PassThrough } from 'node:stream';
import type { Host } from '../../src/cli/host.ts';
import { Output } from '../../src/cli/output/output.ts';
import { withProgress } from '../../src/cli/progress.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('progress', (test) => {
  function seat(env: Readonly<Record<string, string>> = {}, isTTY = true) {
    const stream = () => Object.assign(new PassThrough(), { isTTY, columns: 100 });
    const [stdout, stderr] = [stream(), stream()];
    let reported = '';
    stderr.on('data', (text) => {
      reported += text;
    });
    const host = { env, stdout, stderr } as unknown as Host;
    const out = new Output(host, { json: false, colour: 'never', quiet: false });
    return { out, reported: () => reported };
  }

  test('counts on one line from the second second on, and takes the line away', async () => {
    const { out, reported } = seat();
    let count = 0;
    const work = () =>
      until(() => {
        count += 1;
        return /Counting 1,\d+ \.\.\. 1 s/.test(reported());
      });
    await withProgress(out, () => `Counting ${(1000 + (count % 1000)).toLocaleString('en')}`, work);
    assert.ok(reported().endsWith('\r\x1b[2K'));
  });

  for (const [name, env, isTTY] of [
    ['in a pipe', {}, false],
    ['in CI', { CI: '1' }, true],
    ['for a screen reader', { STAGE_ACCESSIBLE: '1' }, true],
  ] as const) {
    test(`is silent ${name}`, async () => {
      const { out, reported } = seat(env, isTTY);
      await withProgress(
        out,
        () => 'Counting',
        // longer than the delay of the first message in a terminal
        () => new Promise((done) => setTimeout(done, 1600)),
      );
      assert.is(reported(), '');
    });
  }
});
