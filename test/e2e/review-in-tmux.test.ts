/** The complete review in a real pseudo-terminal: the command, its keys, its exit code, and the terminal afterwards. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Tmux } from '../helpers/tmux.ts';
import { createTmux } from '../helpers/tmux.ts';

const patience = { timeout: 150_000 };

suite('review in tmux', (test) => {
  let rest: TestRest;
  let tmux: Tmux;

  test.before(async () => {
    rest = await startTestRest();
    tmux = await createTmux(100, 30);
  });
  test.afterEach(() => tmux.end());
  test.after(async () => {
    await rest.stop();
    await tmux.clear();
  });

  const screen = () => tmux.screen();
  const see = (pattern: RegExp) => tmux.see(pattern);
  const press = (...keys: string[]) => tmux.press(...keys);

  async function open(env: Readonly<Record<string, string>> = {}): Promise<string> {
    const id = await rest.newSession();
    await rest.write(id, `UPDATE products SET price = price + 1 WHERE sku = 'MUG-01'`);
    await rest.write(id, `INSERT INTO customers (email, name) VALUES (now() || '@x', 'A')`);
    await tmux.open(rest.url, id, env);
    return id;
  }

  test(
    'goes from the diff to production',
    async () => {
      const id = await open();
      await see(/stage diff sess_\w{8} ACTIVE[\s\S]*> \+ +5 │/);
      await press('J');
      await see(/> ~ +1 │ MUG-01 +Coffee mug +9\.50 → 10\.50/);
      await press('Enter');
      await see(/~ UPDATE products 1/);
      await press('Tab');
      await see(/\[Log 2\][\s\S]*UPDATE products SET price = price \+ 1/);
      await press('Escape');
      await see(/\[Rows\]/);
      await press('P');
      await see(/Propose this session/);
      await press('yes', 'Enter');
      await see(/PROPOSED/);
      await press('A');
      await see(/digest sha256:[0-9a-f]{64}/);
      await press(id.slice(5, 13), 'Enter');
      await see(/APPROVED/);
      await press('q');
      await see(/left with 2\n echo/);
      assert.not.match(await screen(), /Rows|│/);
      assert.is((await rest.call('GET', `/sessions/${id}`)).body.status, 'approved');
    },
    patience,
  );

  test(
    'gives the terminal back on SIGTERM',
    async () => {
      await open();
      await see(/ACTIVE/);
      const pid = Number(await readFile(join(tmux.folder, 'pid'), 'utf8'));
      process.kill(pid, 'SIGTERM');
      await see(/left with 143/);
      await see(/ echo/);
      assert.not.match(await screen(), /Rows|│/);
    },
    patience,
  );

  test(
    'is suspended by ctrl-z, and comes back with fg',
    async () => {
      await open();
      await see(/> \+ +\d+ │/);
      await press('C-z');
      await see(/Stopped/);
      assert.not.match(await screen(), /Rows|│/);
      // the shell prints after the command line that was stopped
      await press('clear; stty -a | grep -o " echo "; fg; echo "back with $?"', 'Enter');
      await see(/\[Rows\][\s\S]*> \+ +\d+ │/);
      await press('J');
      await see(/> ~ +1 │ MUG-01/);
      await press('q');
      await see(/ echo[\s\S]*back with 2/);
      assert.not.match(await screen(), /Rows|│/);
    },
    patience,
  );

  test(
    'gives the terminal back when it crashes',
    async () => {
      const crash = join(tmux.folder, 'crash.mjs');
      await writeFile(crash, `process.on('SIGUSR2', () => { throw new Error('a crash'); });`);
      await open({ NODE_OPTIONS: `--import=file://${crash}` });
      await see(/ACTIVE/);
      process.kill(Number(await readFile(join(tmux.folder, 'pid'), 'utf8')), 'SIGUSR2');
      await see(/Error: a crash[\s\S]*left with 1\n echo/);
      assert.not.match(await screen(), /Rows|│/);
    },
    patience,
  );

  test(
    'remembers what was reviewed',
    async () => {
      await open();
      await see(/> \+ +\d+ │/);
      await press('Space');
      await see(/1 reviewed \(this one too\)/);
      await press('q');
      await see(/left with 2/);
      await press(`clear; sh ${tmux.folder}/review.sh`, 'Enter');
      await see(/> \+ ✓ +\d+ │/);
    },
    patience,
  );

  test(
    'follows the window when it becomes smaller, and larger',
    async () => {
      await open();
      await see(/> \+ +\d+ │/);
      for (const [columns, rows] of [
        [50, 12],
        [120, 40],
      ] as const) {
        await tmux.resize(columns, rows);
        const bottom = new RegExp(`^(?:.*\\n){${rows - 1}} \\? help`);
        await see(bottom);
        assert.match(await screen(), /> \+ +\d+ │/);
      }
    },
    patience,
  );

  test(
    'is text where a screen reader has to follow',
    async () => {
      await open({ STAGE_ACCESSIBLE: '1' });
      await see(/\d+\.50 → \d+\.50/);
      await see(/left with 2/);
    },
    patience,
  );

  test(
    'begins with what the changes mean, on a narrow terminal, too',
    async () => {
      await open();
      await see(/ ! 20 % of the rows of products\n(?: .*\n)*── \d+ more lines: B ─/);
      await press('B');
      await see(/ products price: /);
      await press('B');
      await see(/Effects .*\n Tables 2 /);
      await press('B');
      await tmux.resize(40, 24);
      await see(/ ! 20 % of the rows of products\n(?: .*\n)*── \d+ more lines: B ─/);
      await see(/> \+ +\d+ │/);
    },
    patience,
  );
});
