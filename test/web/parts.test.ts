/** Parts of the review page that need no browser. */
import { createHash, randomBytes } from 'node:crypto';
import { excerpt, excerpts } from '../../src/web/excerpt.ts';
import { sha256 } from '../../src/web/sha256.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('web: parts of the review page', (test) => {
  test("hashes of bytes are Node's own", () => {
    for (let length = 0; length < 200; length += 1) {
      const bytes = randomBytes(length);
      assert.is(sha256(bytes.toString('hex')), createHash('sha256').update(bytes).digest('hex'));
    }
  });

  test('two texts that differ never look alike, wherever that is', () => {
    for (const at of [0, 30, 47, 48, 59, 60, 61, 499, 500]) {
      const was = 'x'.repeat(500);
      for (const is of [
        `${was.slice(0, at)}y${was.slice(at + 1)}`,
        was.slice(0, at - 1),
        `${was.slice(0, at)}${was}x`,
      ]) {
        const [before, after] = excerpts(was, is, 60);
        assert.is.not(before, after);
        assert.ok(before.length <= 62 && after.length <= 62);
      }
    }
    assert.equal(excerpts('short', 'shorter', 60), ['short', 'shorter']);
    assert.is(excerpt('z'.repeat(2000), 5), 'zzzzz… (2,000 characters)');
  });
});
