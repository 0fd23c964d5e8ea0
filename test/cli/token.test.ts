/** Tokens that are created and revoked on the command line, and the daemon that notices. */
import {
  chmodSync,
  lstatSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readTokenLines } from '../../src/config/token-file.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import type { Shell } from './stage.ts';
import { createShell } from './stage.ts';

suite('stage token', (test) => {
  let shell: Shell;
  let file: string;
  let daemon: TestDaemon;
  const env = () => ({ STAGE_TOKEN_FILE: file });
  const stage = (...args: string[]) => shell.run(['token', ...args], { env: env() });
  const made = async (...args: string[]) => (await stage('new', ...args)).stdout.trim();
  const status = async (token: string) =>
    (await daemon.call('GET', '/whoami', { headers: { authorization: `Bearer ${token}` } })).status;
  const idsOf = (name: string) =>
    readTokenLines(file)
      .flatMap(({ token }) => token ?? [])
      .filter((token) => token.name === name)
      .map(({ hash }) => hash.toString('hex').slice(0, 12));

  test.before(async () => {
    shell = await createShell();
    file = join(shell.folder, 'tokens');
    await made('root', '--role', 'operator');
    daemon = await startTestDaemon({ flags: { tokenFile: file } });
  });
  test.after(async () => {
    await daemon.stop();
    await shell.clear();
  });

  test('makes a token that the daemon takes, and takes no longer once it is revoked', async () => {
    const { code, stdout, stderr } = await stage(
      'new',
      'ann',
      '--role',
      'author',
      '-p',
      'shop,crm',
    );
    assert.equal([code, stderr], [0, '']);
    const token = stdout.trim();
    assert.match(token, /^stage_[\w-]{43}$/);
    assert.not.match(readFileSync(file, 'utf8'), token);
    assert.is(statSync(file).mode & 0o777, 0o600);
    await until(async () => (await status(token)) === 200);
    assert.equal((await stage('revoke', 'ann')).code, 0);
    await until(async () => (await status(token)) === 401);
  });

  test('makes one that ends with its time', async () => {
    const asked = Date.now();
    const token = await made('bob', '--role', 'author', '--expires', '1h');
    await until(async () => (await status(token)) === 200);
    const end = readFileSync(file, 'utf8').match(/expires=(\S+)/)?.[1] ?? '';
    const hour = 3_600_000;
    assert.ok(Date.parse(end) >= asked + hour - 1000 && Date.parse(end) <= Date.now() + hour, end);
    // The hour passes by the file: how long the command itself takes says nothing about the token.
    const soon = `${new Date(Date.now() + 2000).toISOString().slice(0, 19)}Z`;
    writeFileSync(file, readFileSync(file, 'utf8').replace(end, soon));
    await until(async () => (await status(token)) === 401);
    assert.match((await stage('list')).stdout, /\tbob\tauthor\t\t\texpired \d{4}-\d\d-\d\dT/);
    assert.is((await stage('revoke', 'bob')).code, 0);
  });

  test('lists what the file says, and no token', async () => {
    const token = await made(
      'cy',
      '--role',
      'reviewer',
      '--database-roles',
      'cy,cy_2',
      '--expires',
      '2100-01-01',
    );
    const { stdout } = await stage('list', '--json');
    const [, cy] = JSON.parse(stdout).tokens;
    assert.equal(cy, {
      id: idsOf('cy')[0],
      name: 'cy',
      role: 'reviewer',
      projects: null,
      database_roles: ['cy', 'cy_2'],
      expires_at: '2100-01-01T00:00:00Z',
      expired: false,
    });
    assert.not.match(stdout, token);
  });

  test('revokes one of several of a name by its id, and does not choose by itself', async () => {
    const first = await made('dee', '--role', 'author');
    const { stderr } = await shell.atTerminal([
      'token',
      'new',
      'dee',
      '--role',
      'author',
      '--token-file',
      file,
    ]);
    const [former = '', fresh = ''] = idsOf('dee');
    assert.match(stderr, `stage token revoke ${former}`);
    const several = await stage('revoke', 'dee');
    assert.equal([several.code, several.stdout], [64, '']);
    assert.match(several.stderr, `${former}, ${fresh}`);
    assert.is((await stage('revoke', former)).stdout, `${former}\tdee\n`);
    assert.equal(idsOf('dee'), [fresh]);
    await until(async () => (await status(first)) === 401);
    assert.is((await stage('revoke', 'dee', '--all')).code, 0);
    assert.is((await stage('revoke', 'dee')).code, 5);
  });

  test('keeps comments, mode, and a link to the file', async () => {
    const link = join(shell.folder, 'link');
    symlinkSync(file, link);
    writeFileSync(file, `# people\n${readFileSync(file, 'utf8')}# agents\n`);
    chmodSync(file, 0o400);
    await stage('new', 'eve', '--role', 'agent', '--token-file', link);
    assert.match(readFileSync(file, 'utf8'), /^# people\nroot [\s\S]*# agents\neve agent sha256:/);
    assert.is(statSync(file).mode & 0o777, 0o400);
    assert.ok(lstatSync(link).isSymbolicLink());
  });

  test('refuses what the daemon would not take, and changes nothing then', async () => {
    const before = readFileSync(file, 'utf8');
    for (const [words, exit, said] of [
      [['new', 'a b', '--role', 'author'], 64, /cannot have that name/],
      [['new', 'fay', '--role', 'boss'], 64, /author, agent, reviewer, operator/],
      [['new', 'fay', '--role', 'author', '-p', 'a,,b'], 64, /cannot have that name, project/],
      [
        ['new', 'fay', '--role', 'author', '-p', 'x sha256:0'],
        64,
        /cannot have that name, project/,
      ],
      [['new', 'fay', '--role', 'author', '--expires', '2001-01-01'], 64, /a time in the future/],
      [['revoke', 'nobody'], 5, /no such token/],
    ] as const) {
      const { code, stdout, stderr } = await stage(...words);
      assert.equal([code, stdout], [exit, ''], words.join(' '));
      assert.match(stderr, said);
    }
    writeFileSync(`${file}.new`, '');
    assert.match(
      (await stage('new', 'fay', '--role', 'author')).stderr,
      /Somebody else is changing/,
    );
    rmSync(`${file}.new`);
    for (const name of ['cy', 'eve']) await stage('revoke', name);
    assert.match((await stage('revoke', 'root')).stderr, /no token would be left/);
    assert.is(before.includes('fay'), false);
  });

  test('shows when each was last used, to an operator', async () => {
    const [hal, ida] = [
      await made('hal', '--role', 'operator'),
      await made('ida', '--role', 'author'),
    ];
    const list = (secret: string, ...args: string[]) =>
      shell.run(['token', 'list', '--server', daemon.restUrl, ...args], {
        env: { ...env(), STAGE_TOKEN: secret },
      });
    const seen = async () => {
      const { tokens } = JSON.parse((await list(hal, '--json')).stdout);
      return tokens.map((each: { last_used_at?: unknown }) => each.last_used_at).slice(-2);
    };
    await until(async () => (await status(hal)) === 200);
    await until(async () => (await seen())[0]);
    assert.is((await seen())[1], null);
    assert.match((await list(hal)).stdout, /\tida\tauthor\t\t\t\tnever\n/);
    await until(async () => (await status(ida)) === 200);
    await until(async () => (await seen())[1]);
    assert.match((await list(hal)).stdout, /\tida\tauthor\t\t\t\t\d{4}-\d\d-\d\dT[\d:.]+Z\n/);
    const refused = await list(ida);
    assert.match(refused.stderr, /did not report when they were last used: .*role operator\./);
    assert.match(refused.stdout, /\tida\tauthor\t\t\t\t\n/);
    for (const name of ['hal', 'ida']) await stage('revoke', name);
  });

  test('says where no token file is configured, and where it is open to others', async () => {
    assert.match((await shell.run(['token', 'list'])).stderr, /no token file is configured/);
    chmodSync(file, 0o644);
    assert.match((await stage('new', 'gil', '--role', 'author')).stderr, /open to others/);
    chmodSync(file, 0o600);
  });
});
