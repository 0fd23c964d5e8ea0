/** The connection string of a client, in every format. */
import type { UrlFormat } from '../../src/cli/output/connection-string.ts';
import {
  choosesReads,
  connectionString,
  targetOf,
  withUsersOptions,
} from '../../src/cli/output/connection-string.ts';
import type { ServiceFacts } from '../../src/model/service.ts';
import { assert, suite } from '../helpers/suite.ts';

const session = `sess_${'ab'.repeat(16)}`;
const info: ServiceFacts = {
  version: '0',
  proxy: { host: '127.0.0.1', port: 5433 },
  database: 'shop',
  embedded: null,
};
const here = 'http://127.0.0.1:8080';

function write(
  format: UrlFormat,
  changed: Partial<ServiceFacts>,
  user?: string,
  server = here,
): string {
  const target = targetOf({ env: {} }, server, { ...info, ...changed }, session, { user });
  return connectionString(target, format);
}

suite('connection strings', (test) => {
  const odd = { database: "my db's" };
  const forms: [UrlFormat, string, string][] = [
    [
      'url',
      `postgresql://app@127.0.0.1:5433/shop?options=-c%20service_session%3D${session}`,
      `postgresql://o%27r%20%40x@127.0.0.1:5433/my%20db%27s?options=-c%20service_session%3D${session}`,
    ],
    [
      'keywords',
      `host=127.0.0.1 port=5433 dbname=shop user=app options='-c service_session=${session}'`,
      `host=127.0.0.1 port=5433 dbname='my db\\'s' user='o\\'r @x' options='-c service_session=${session}'`,
    ],
    [
      'env',
      `export PGHOST=127.0.0.1\nexport PGPORT=5433\nexport PGDATABASE=shop\nexport PGUSER=app\nexport PGOPTIONS='-c service_session=${session}'`,
      `export PGHOST=127.0.0.1\nexport PGPORT=5433\nexport PGDATABASE='my db'\\''s'\nexport PGUSER='o'\\''r @x'\nexport PGOPTIONS='-c service_session=${session}'`,
    ],
    [
      'jdbc',
      `jdbc:postgresql://127.0.0.1:5433/shop?user=app&options=-c%20service_session%3D${session}`,
      `jdbc:postgresql://127.0.0.1:5433/my%20db%27s?user=o%27r%20%40x&options=-c%20service_session%3D${session}`,
    ],
  ];
  for (const [format, usual, unusual] of forms) {
    test(`come as ${format}`, () => {
      assert.is(write(format, {}, 'app'), usual);
      assert.is(write(format, odd, "o'r @x"), unusual);
    });
  }

  test('say what reads are to see where that is asked for', () => {
    const target = targetOf({ env: {} }, here, info, session, { user: 'a', reads: 'staged' });
    assert.is(target.options, `-c service_session=${session} -c service_reads=staged`);
    assert.match(connectionString(target, 'url'), '%20-c%20service_reads%3Dstaged');
  });

  test('keep what PGOPTIONS sets, but not twice, and no other session', () => {
    const env = {
      PGOPTIONS: '-c service_session=sess_other -c work_mem=7MB -c service_reads=production',
    };
    const made = (reads?: 'staged') =>
      withUsersOptions({ env }, targetOf({ env }, here, info, session, { reads }));
    assert.is(made(), `-c work_mem=7MB -c service_reads=production -c service_session=${session}`);
    assert.ok(choosesReads({ env }));
    assert.is(made('staged').match(/service_reads/g)?.length, 1);
  });

  test('come in parts', () => {
    const parts = JSON.parse(write('json', {}, 'app'));
    assert.equal(parts, {
      host: '127.0.0.1',
      port: 5433,
      database: 'shop',
      user: 'app',
      password: null,
      options: `-c service_session=${session}`,
      url: write('url', {}, 'app'),
    });
  });

  test('hold the password of the embedded sample, and of its role only', () => {
    const embedded = { user: 'app', password: 'sample' };
    assert.match(write('url', { embedded }), /^postgresql:\/\/app:sample@/);
    assert.match(write('url', { embedded }, 'other'), /^postgresql:\/\/other@/);
    assert.match(write('jdbc', { embedded }), /\?user=app&password=sample&options=/);
  });

  test('take the user from PGUSER before the sample’s', () => {
    const embedded = { user: 'app', password: 'sample' };
    const target = targetOf({ env: { PGUSER: 'me' } }, here, { ...info, embedded }, session);
    assert.equal([target.user, target.password], ['me', null]);
  });

  test('name the daemon’s host where the proxy listens on every address', () => {
    for (const host of ['0.0.0.0', '::', '']) {
      const proxy = { host, port: 1 };
      assert.match(
        write('url', { proxy }, 'a', 'http://stage.internal:8080'),
        /@stage\.internal:1\//,
      );
      assert.match(write('keywords', { proxy }, 'a', 'http://[::1]:8080'), /^host=::1 port=1 /);
      assert.match(write('url', { proxy }, 'a', 'http://[::1]:8080'), /@\[::1\]:1\//);
    }
  });
});
