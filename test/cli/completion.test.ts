/** Shell completions, as the command prints them and as each installed shell applies them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { needProgram } from '../helpers/programs.ts';
import { assert, suite } from '../helpers/suite.ts';
import { serve } from './served.ts';
import { installStage } from './stage.ts';

const execute = promisify(execFile);

suite('completion', (test) => {
  const served = serve(test);
  let installed: Record<string, string>;
  let active: string;
  let proposed: string;
  test.before(async () => {
    active = await served.rest.newSession({ project_id: 'shop' });
    proposed = await served.rest.newSession({ project_id: '$(rm -rf x)' });
    await served.rest.write(active, `UPDATE orders SET note = 'x' WHERE id = 1`);
    await served.rest.write(active, `UPDATE products SET stock = 1 WHERE id = 1`);
    await served.rest.call('POST', `/sessions/${proposed}/propose`, { json: {} });
    installed = await installStage(served.shell);
  });

  async function completed(...words: string[]): Promise<string[]> {
    const { code, stdout, stderr } = await served.shell.run(['__complete', '--', ...words]);
    assert.equal([code, stderr], [0, '']);
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t')[0] ?? '');
  }

  test('knows commands, and those below them', async () => {
    assert.equal(await completed('d'), ['doctor', 'diff']);
    assert.equal(await completed('session', 'de'), ['delete']);
    assert.equal(await completed('audit', ''), ['list', 'show', 'verify']);
    assert.not.ok((await completed('')).includes('__complete'));
    assert.ok((await completed('help', '')).includes('exit-codes'));
    assert.equal(await completed('completion', ''), ['bash', 'zsh', 'fish']);
  });

  test('knows options and what they take', async () => {
    assert.equal(await completed('diff', '--na'), ['--name-only']);
    assert.ok((await completed('log', '--')).includes('--server'));
    assert.equal(await completed('diff', '--mode', 's'), ['stacked', 'side-by-side']);
    assert.equal(await completed('diff', '--mode', '=', 's'), ['stacked', 'side-by-side']);
    assert.equal(await completed('url', '--format', 'j'), ['jdbc', 'json']);
  });

  test('knows the sessions that a command can do something with', async () => {
    assert.equal(await completed('approve', 'sess_'), [proposed]);
    assert.equal(await completed('propose', ''), [active]);
    assert.equal((await completed('diff', '')).sort(), [active, proposed].sort());
    assert.equal((await completed('log', '-s', 'sess')).length, 2);
    assert.equal(await completed('diff', active, ''), []);
  });

  test('knows the tables of the session, and the projects', async () => {
    assert.equal((await completed('diff', active, '--table', '')).sort(), ['orders', 'products']);
    assert.equal(await completed('log', '--session', active, '--table', 'o'), ['orders']);
    assert.equal(await completed('session', 'list', '--project', ''), ['shop']);
  });

  test('is silent where the daemon does not answer', async () => {
    const nowhere = { env: { STAGE_SERVER: 'http://127.0.0.1:1' } };
    const { code, stdout, stderr } = await served.shell.run(
      ['__complete', '--', 'diff', ''],
      nowhere,
    );
    assert.equal([code, stdout, stderr], [0, '', '']);
  });

  const shells: readonly (readonly [string, (script: string) => string[]])[] = [
    [
      'bash',
      (script) => [
        '-c',
        `${script}\nCOMP_WORDS=(stage session l); COMP_CWORD=2; _stage; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ],
    ],
    [
      'zsh',
      (script) => [
        '-fc',
        `compdef() { :; }\ncompadd() { print -l -- $values; }\n${script}\nwords=(stage session l); CURRENT=3; _stage`,
      ],
    ],
    ['fish', (script) => ['--no-config', '-c', `${script}\ncomplete -C 'stage session l'`]],
  ];
  for (const [name, args] of shells) {
    test(`works in ${name}`, async () => {
      needProgram(name);
      const { stdout: script } = await served.shell.run(['completion', name]);
      const { stdout } = await execute(name, args(script), { env: installed });
      assert.match(stdout, /^list(?:\t.*)?\n$/);
    });
  }

  test('refuses other shells', async () => {
    assert.is((await served.shell.run(['completion', 'tcsh'])).code, 64);
  });
});
