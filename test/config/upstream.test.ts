/** Which database is production if several places name one. */
import { describeConfig } from '../../src/config/describe.ts';
import { loadConfig } from '../../src/config/load.ts';
import { chooseProduction } from '../../src/config/upstream.ts';
import { redactor } from '../../src/daemon/redact.ts';
import { hostUrls } from '../../src/model/upstream-hosts.ts';
import { assert, suite } from '../helpers/suite.ts';

const choose = (flags: Record<string, unknown>, env: Record<string, string>) => {
  const full = { HOME: '/nowhere', ...env };
  return chooseProduction(loadConfig({ flags, env: full, cwd: '/' }), full);
};

suite('production', (test) => {
  test('is embedded when nothing is said', () => {
    const chosen = choose({}, { XDG_DATA_HOME: '/data' });
    const directory = process.getuid?.() === 0 ? '/var/lib/stage/embedded' : '/data/stage/embedded';
    assert.equal(chosen, { kind: 'embedded', directory, isUsual: true });
  });

  test('is the URL when there is one', () => {
    const url = 'postgresql://db/x';
    assert.equal(choose({}, { DATABASE_URL: url }), { kind: 'url', url });
    assert.equal(choose({ upstream: url }, { STAGE_EMBEDDED: '/d' }), { kind: 'url', url });
  });

  test('is embedded when the flag says so, whatever the environment holds', () => {
    const chosen = choose({ embedded: '/d' }, { DATABASE_URL: 'postgresql://db/x' });
    assert.equal(chosen, { kind: 'embedded', directory: '/d', isUsual: false });
    assert.is(choose({ embedded: true }, { STAGE_UPSTREAM: 'postgresql://db/x' }).kind, 'embedded');
  });

  test('is not guessed when one place asks for both', () => {
    assert.throws(
      () => choose({ embedded: true, upstream: 'postgresql://db/x' }, {}),
      /--upstream and --embedded contradict each other/,
    );
  });

  test('may have several hosts, of which no password is shown', () => {
    const url = 'postgresql://stage:s3cret@db1:5432,db2:5433/shop?target_session_attrs=read-write';
    assert.equal(choose({ upstream: url }, {}), { kind: 'url', url });
    assert.equal(hostUrls(url), [
      'postgresql://stage:s3cret@db1:5432/shop?target_session_attrs=read-write',
      'postgresql://stage:s3cret@db2:5433/shop?target_session_attrs=read-write',
    ]);
    assert.equal(hostUrls('postgresql://db/a,b?x=1,2'), ['postgresql://db/a,b?x=1,2']);
    const shown = describeConfig(loadConfig({ flags: { upstream: url }, env: {}, cwd: '/' }));
    assert.match(shown, 'postgresql://stage:***@db1:5432,db2:5433/shop');
    assert.not.match(shown, 's3cret');
    const redact = redactor(url);
    assert.not.match(redact(`at ${hostUrls(url)[1]} with s3cret`), 's3cret');
    for (const wrong of ['postgresql://db1:5432,db2:x/shop', 'http://db1,db2/shop'])
      assert.throws(() => choose({ upstream: wrong }, {}), /--upstream must be a URL/);
  });

  test('a password that is a word is not taken out of other words', () => {
    const redact = redactor('postgresql://postgres:postgres@db/shop');
    assert.is(
      redact('/usr/lib/postgresql/18: password=postgres, "postgres"'),
      '/usr/lib/postgresql/18: password=***, "***"',
    );
  });
});
