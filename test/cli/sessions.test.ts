/** Sessions on the command line: starting and choosing one, and the one that a command uses. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Shell } from './stage.ts';
import { createShell } from './stage.ts';

const unknown = `sess_${'0'.repeat(32)}`;

suite('sessions on the command line', (test) => {
  let rest: TestRest;
  let shell: Shell;
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());
  test.beforeEach(async () => {
    shell = await createShell(rest.url);
  });
  test.afterEach(async () => {
    await shell.clear();
    await rest.database.query('TRUNCATE stage.session CASCADE');
  });

  test('starts one, and prints its id alone in a pipe', async () => {
    const { code, stdout, stderr } = await shell.run(['session', 'new']);
    assert.equal([code, stderr], [0, '']);
    assert.match(stdout, /^sess_[0-9a-f]{32}\n$/);
  });

  test('starts one with what was asked for, and prints the body with --json', async () => {
    const { stdout } = await shell.run([
      'session',
      'new',
      '--project',
      'shop',
      '--reads',
      'staged',
      '--conflict-scope',
      'column',
      '--metadata',
      'ticket=OPS-17',
      'by=a=b',
      '--json',
    ]);
    const session = JSON.parse(stdout);
    assert.is(session.project_id, 'shop');
    assert.is(session.reads, 'staged');
    assert.is(session.conflict_scope, 'column');
    assert.equal(session.metadata, { ticket: 'OPS-17', by: 'a=b' });
    assert.is(stdout, `${(await rest.call('GET', `/sessions/${session.id}`)).text}\n`);
  });

  test('starts one, and tells a person how to connect', async () => {
    const { stdout } = await shell.atTerminal(['session', 'new']);
    const id = /session {2}(sess_\w+)/.exec(stdout)?.[1];
    const url = `postgresql://app@127.0.0.1:5433/${rest.database.name}?options=-c%20service_session%3D${id}`;
    assert.ok(stdout.includes(`psql     psql '${url}'\n`));
    assert.is((await shell.run(['url'])).stdout, `${url}\n`);
  });

  test('lists them in columns for people, tabs for programs, and as the body', async () => {
    const first = await rest.newSession({ project_id: 'a\u202eb' });
    const second = await rest.newSession({ project_id: 'shop' });
    const piped = await shell.run(['session', 'list']);
    const rows = piped.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    assert.equal(
      rows.map(([id, project, status, mutations]) => [id, project, status, mutations]),
      [
        [second, 'shop', 'active', '0'],
        [first, "E'a\\u202eb'", 'active', '0'],
      ],
    );
    const { stdout } = await shell.atTerminal(['session', 'list', '--no-color']);
    assert.match(stdout, /^SESSION +PROJECT +STATUS +MUTATIONS .*\n/);
    const body = await shell.run(['session', 'list', '--project', 'shop', '--json']);
    assert.is(body.stdout, `${(await rest.call('GET', '/sessions?project_id=shop')).text}\n`);
  });

  test('says that a list goes on, and goes on', async () => {
    for (let count = 0; count < 3; count += 1) await rest.newSession();
    const { stderr } = await shell.atTerminal(['session', 'list', '--limit', '2']);
    assert.is(stderr, '1 to 2 of 3; continue with --offset 2, or see --all\n');
    const rest2 = await shell.run(['session', 'list', '--limit', '2', '--offset', '2']);
    assert.is(rest2.stdout.split('\n').length, 2);
  });

  test('means the argument before --session, that before STAGE_SESSION, that before the one chosen here', async () => {
    const ids = [];
    for (let count = 0; count < 4; count += 1) ids.push(await rest.newSession());
    const [argument = '', option = '', variable = '', chosen = ''] = ids;
    await shell.run(['session', 'use', chosen]);
    const shown = async (args: string[], env = {}) => {
      const { stdout } = await shell.run(['session', 'show', ...args, '--json'], { env });
      return JSON.parse(stdout).id;
    };
    const env = { STAGE_SESSION: variable };
    assert.is(await shown([argument, '--session', option], env), argument);
    assert.is(await shown(['--session', option], env), option);
    assert.is(await shown([], env), variable);
    assert.is(await shown([]), chosen);
  });

  test('chooses for this directory and this server only', async () => {
    const { stdout } = await shell.run(['session', 'new']);
    await rest.newSession();
    const elsewhere = join(shell.folder, 'elsewhere');
    await mkdir(elsewhere);
    assert.is((await shell.run(['session', 'show'])).code, 0);
    assert.is((await shell.run(['session', 'show'], { cwd: elsewhere })).code, 64);
    const other = { STAGE_SERVER: rest.url.replace('127.0.0.1', 'localhost') };
    assert.is((await shell.run(['session', 'show'], { env: other })).code, 64);
    assert.match(stdout, /^sess_/);
  });

  test('chooses the new one, and says so where another one that is open was chosen', async () => {
    const first = (await shell.run(['session', 'new'])).stdout.trim();
    const chosen = async () =>
      JSON.parse((await shell.run(['session', 'show', '--json'])).stdout).id as string;
    assert.is(await chosen(), first);
    const next = await shell.run(['session', 'new']);
    const third = next.stdout.trim();
    assert.is(
      next.stderr,
      `Commands in ${shell.folder} now mean this session, and no longer ${first}.\n`,
    );
    assert.is(await chosen(), third);
    const { stdout, stderr } = await shell.atTerminal(['session', 'new']);
    const fourth = /session {2}(sess_\w+)/.exec(stdout)?.[1] ?? '';
    assert.is(await chosen(), fourth);
    assert.is(
      stderr,
      `Commands in ${shell.folder} now mean this session, and no longer ${third}.\n`,
    );
    await rest.call('DELETE', `/sessions/${fourth}`);
    const fifth = await shell.run(['session', 'new']);
    assert.equal([await chosen(), fifth.stderr], [fifth.stdout.trim(), '']);
  });

  test('means the only active one, and lists the candidates where there are several', async () => {
    const only = await rest.newSession();
    assert.ok((await shell.run(['session', 'show'])).stdout.startsWith(`session\t${only}\n`));
    const other = await rest.newSession();
    const { code, stderr } = await shell.run(['session', 'show']);
    assert.is(code, 64);
    for (const id of [only, other]) assert.ok(stderr.includes(id));
    const json = JSON.parse((await shell.run(['session', 'show', '--json'])).stderr);
    assert.equal([...json.candidates].sort(), [only, other].sort());
  });

  test('looks at the only proposed one where none is active, and does no more to it', async () => {
    const only = await rest.newSession();
    await rest.call('POST', `/sessions/${only}/propose`);
    assert.is((await shell.run(['diff'])).code, 0);
    assert.is((await shell.run(['propose'])).code, 5);
    assert.is((await shell.run(['session', 'delete', '--yes'])).code, 5);
  });

  test('has none to mean where there is none', async () => {
    const { code, stderr } = await shell.run(['diff']);
    assert.is(code, 5);
    assert.match(stderr, /stage session new/);
  });

  test('completes a unique beginning, in a script from 8 digits', async () => {
    const id = await rest.newSession();
    const [long, short] = [id.slice(0, 20), id.slice(0, 12)];
    assert.is((await shell.atTerminal(['session', 'show', short])).code, 0);
    assert.is((await shell.run(['session', 'show', long])).code, 0);
    assert.is((await shell.run(['session', 'show', short])).code, 5);
    assert.is((await shell.atTerminal(['session', 'show', short, '--json'])).code, 5);
    const tooShort = await shell.run(['session', 'show', short]);
    assert.match(
      tooShort.stderr,
      `${short} is too short for a script\nhint: Give at least 8 digits`,
    );
    assert.is((await shell.run(['session', 'show', id.slice(0, 13)])).code, 0);
    assert.match((await shell.run(['session', 'show', 'nonsense'])).stderr, 'stage session list');
    await rest.newSession();
    assert.is((await shell.atTerminal(['session', 'show', 'sess_'])).code, 5);
  });

  test('ends with 5 for a session that is not there', async () => {
    for (const id of [unknown, 'sess_1', '../audit', '']) {
      for (const command of [['session', 'show'], ['diff'], ['propose'], ['url']]) {
        if (id === '') continue;
        const { code, stdout } = await shell.atTerminal([...command, id]);
        assert.equal([code, stdout], [5, '']);
      }
    }
  });

  test('deletes one only when told so, and forgets it', async () => {
    const { stdout } = await shell.run(['session', 'new']);
    const id = stdout.trim();
    const refused = await shell.atTerminal(['session', 'delete'], { input: '\n' });
    assert.is(refused.code, 1);
    assert.match(
      refused.stderr,
      new RegExp(`${id}: 0 inserted, .* database ${rest.database.name}`),
    );
    assert.is((await shell.run(['session', 'show'])).code, 0);
    const done = await shell.atTerminal(['session', 'delete'], { input: 'yes\n' });
    assert.equal([done.code, done.stdout], [0, `${id} is deleted.\n`]);
    const { code, stderr } = await shell.run(['session', 'show']);
    assert.is(code, 5);
    assert.match(stderr, /no active or proposed session/);
  });

  test('keeps what it remembers to itself', async () => {
    await shell.run(['session', 'new']);
    const { stdout } = await shell.run(['session', 'new'], {
      env: { XDG_STATE_HOME: join(shell.folder, 's') },
    });
    const shown = await shell.run(['session', 'show'], {
      env: { XDG_STATE_HOME: join(shell.folder, 's') },
    });
    assert.match(shown.stdout, new RegExp(stdout.trim()));
  });
});

suite('tokens on the command line', (test) => {
  let rest: TestRest;
  let shell: Shell;
  test.before(async () => {
    rest = await startTestRest({ tokens: [testToken({ secret: 'right' })] });
    shell = await createShell(rest.url);
  });
  test.after(async () => {
    await shell.clear();
    await rest.stop();
  });

  test('are shown from STAGE_TOKEN', async () => {
    assert.is((await shell.run(['session', 'list'], { env: { STAGE_TOKEN: 'right' } })).code, 0);
  });

  test('end with 4 when they are missing or wrong', async () => {
    const none = await shell.run(['session', 'list']);
    assert.is(none.code, 4);
    assert.match(none.stderr, /STAGE_TOKEN/);
    assert.is((await shell.run(['session', 'list'], { env: { STAGE_TOKEN: 'wrong' } })).code, 4);
  });

  test('come from a file that is its owner’s alone', async () => {
    const file = join(shell.folder, 'token');
    await writeFile(file, 'right\n', { mode: 0o600 });
    const env = { STAGE_TOKEN_FILE: file };
    assert.is((await shell.run(['session', 'list'], { env })).code, 0);
    await chmod(file, 0o640);
    const { code, stderr } = await shell.run(['session', 'list'], { env });
    assert.is(code, 64);
    assert.match(stderr, /chmod 600/);
  });

  test('are not carried off by a project’s file', async () => {
    const folder = join(shell.folder, 'cloned');
    await mkdir(folder);
    await writeFile(join(folder, 'stage.config.yaml'), 'server: http://127.0.0.1:9\n');
    const env = { STAGE_TOKEN: 'right', STAGE_SERVER: '' };
    const { code, stderr } = await shell.run(['session', 'list'], { cwd: folder, env });
    assert.is(code, 64);
    assert.match(stderr, /sets `server`, and is not trusted/);
  });
});
