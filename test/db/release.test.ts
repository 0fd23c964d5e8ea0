/** The order of releases. */
import { compareReleases } from '../../src/db/release.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('releases', (test) => {
  test('come one after the other', () => {
    const inOrder = [
      '0.1.0-beta.2',
      '0.1.0-beta.10',
      '0.1.0',
      '0.1.9',
      '0.1.10',
      '0.10.0',
      '1.0.0',
    ];
    for (const [index, release] of inOrder.entries()) {
      assert.is(compareReleases(release, release), 0, release);
      for (const later of inOrder.slice(index + 1)) {
        assert.ok(compareReleases(release, later) < 0, `${release} ${later}`);
        assert.ok(compareReleases(later, release) > 0, `${later} ${release}`);
      }
    }
  });
});
