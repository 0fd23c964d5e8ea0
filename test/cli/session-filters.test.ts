/** Lists of sessions by author and by text, over REST and on the command line. */
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Shell } from './stage.ts';
import { createShell } from './stage.ts';

const tokens = [
  testToken({ name: 'a_b', role: 'author' }),
  testToken({ name: 'a%b', role: 'author', projects: ['shop'] }),
  testToken({ name: 'axb', role: 'agent' }),
  testToken({ name: 'ann', role: 'reviewer' }),
];

const as = (name: string, json?: object): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  ...(json === undefined ? {} : { json }),
});

/** In the order of creation. */
const made: readonly (readonly [author: string, project: string, metadata: string])[] = [
  ['a_b', 'shop', '{"title": "Fix prices", "ticket": 77}'],
  ['a%b', 'shop', '{"title": "say \\"hi\\" to Z\\u00fcrich"}'],
  ['axb', 'desk', '{"title": "100% of Zürich"}'],
  ['a_b', 'desk', '{"title": "fix_PRICES again"}'],
];

suite('lists of sessions', (test) => {
  let rest: TestRest;
  let shell: Shell;
  let ids: readonly string[] = [];
  test.before(async () => {
    rest = await startTestRest({ tokens });
    shell = await createShell(rest.url);
    const created: string[] = [];
    for (const [author, project, metadata] of made) {
      const raw = `{"project_id": "${project}", "metadata": ${metadata}}`;
      const headers = { ...as(author).headers, 'content-type': 'application/json' };
      created.push((await rest.call('POST', '/sessions', { raw, headers })).body.id);
    }
    ids = created;
  });
  test.after(async () => {
    await shell.clear();
    await rest.stop();
  });

  test('those abandoned are deleted: of one author, empty, not used since', async () => {
    const gc = async (name: string, ...args: string[]) => {
      const { code, stdout, stderr } = await shell.run(['gc', '--json', ...args], {
        env: { STAGE_TOKEN: name },
      });
      assert.is(code, 0, stderr);
      const { sessions } = JSON.parse(stdout) as { sessions: Record<string, string>[] };
      return sessions.map(({ session_id, outcome }) => [session_id, outcome]);
    };
    const make = async (name: string) =>
      (await rest.call('POST', '/sessions', as(name, { project_id: 'gc' }))).body.id as string;
    const [empty, staged, fresh, proposed] = [
      await make('a_b'),
      await make('a_b'),
      await make('a_b'),
      await make('a_b'),
    ];
    await rest.write(staged, 'UPDATE products SET stock = 1 WHERE id = 1');
    await rest.call('POST', `/sessions/${proposed}/propose`, as('a_b'));
    const old = [empty, staged, proposed].map((id) => `'${id.slice(5)}'`).join(', ');
    await rest.database.query(
      `UPDATE stage.session SET created_at = created_at - interval '2 days', proposed_at = proposed_at - interval '2 days'
       WHERE replace(id::text, '-', '') IN (${old});
       UPDATE stage.mutation SET executed_at = executed_at - interval '2 days'`,
    );
    const scope = ['--project', 'gc'];
    assert.equal(await gc('axb', ...scope), []);
    assert.equal(await gc('a_b', ...scope, '--dry-run'), [[empty, 'found']]);
    assert.equal(await gc('a_b', ...scope, '--older-than', '3d', '--yes'), []);
    assert.is((await shell.run(['gc', ...scope], { env: { STAGE_TOKEN: 'a_b' } })).code, 64);
    assert.equal(await gc('a_b', ...scope, '--yes'), [[empty, 'deleted']]);
    assert.equal(await gc('a_b', ...scope, '--staged', '--yes'), [[staged, 'deleted']]);
    assert.equal((await gc('a_b', ...scope, '--older-than', '0', '--dry-run')).length, 1);
    for (const id of [fresh, proposed])
      assert.is((await rest.call('GET', `/sessions/${id}`, as('a_b'))).status, 200);
    await rest.call('DELETE', `/sessions/${fresh}`, as('a_b'));
    await rest.call('DELETE', `/sessions/${proposed}`, as('a_b'));
  });

  /** Returns the indexes in `made` of the listed sessions, in the order of the list. */
  async function listed(query: Readonly<Record<string, string>>, name = 'ann'): Promise<number[]> {
    const { status, body } = await rest.call(
      'GET',
      `/sessions?${new URLSearchParams(query)}`,
      as(name),
    );
    assert.is(status, 200);
    assert.ok(body.total_count >= body.sessions.length);
    return body.sessions.map(({ id }: { id: string }) => ids.indexOf(id));
  }

  test('are narrowed by author, whose name stands for itself', async () => {
    assert.equal(await listed({ author: 'a_b' }), [3, 0]);
    assert.equal(await listed({ author: 'a%b' }), [1]);
    assert.equal(await listed({ author: 'a' }), []);
    assert.equal(await listed({ author: 'a_b', project_id: 'shop' }), [0]);
    assert.equal(await listed({ author: 'a_b', limit: '1' }), [3]);
    assert.equal(await listed({ author: 'a_b', limit: '1', offset: '1' }), [0]);
  });

  test('tell nobody of sessions that are not theirs to see', async () => {
    assert.equal(await listed({ author: 'a_b' }, 'axb'), []);
    assert.equal(await listed({ search: 'fix' }, 'axb'), []);
    assert.equal(await listed({ author: 'a_b' }, 'a%b'), [0]);
    assert.equal(await listed({ search: 'fix' }, 'a%b'), [0]);
  });

  test('are searched for text, in whatever case and however it was written', async () => {
    const found: readonly (readonly [string, number[]])[] = [
      ['fix', [3, 0]],
      ['FIX PRICES', [0]],
      ['fix_prices', [3]],
      ['zürich', [2, 1]],
      ['say "hi"', [1]],
      ['%', [2, 1]],
      ['desk', [3, 2]],
      ['"ticket": 77', [0]],
      ['ticket=77', [0]],
      [String(ids[1]), [1]],
      ['again\\', []],
      ['nowhere', []],
    ];
    for (const [search, places] of found) assert.equal(await listed({ search }), places, search);
    assert.equal(await listed({ search: 'fix', author: 'a_b', limit: '1', offset: '1' }), [0]);
    const { body } = await rest.call('GET', '/sessions?search=fix&limit=1', as('ann'));
    assert.equal([body.total_count, body.has_more], [2, true]);
    assert.is((await rest.call('GET', '/sessions?search=', as('ann'))).status, 400);
  });

  test('are narrowed on the command line', async () => {
    const run = async (name: string, ...args: string[]) => {
      const { code, stdout, stderr } = await shell.run(['session', 'list', ...args], {
        env: { STAGE_TOKEN: name },
      });
      const lines = stdout.split('\n').filter((line) => line !== '');
      return { code, stderr, places: lines.map((line) => ids.indexOf(line.split('\t')[0] ?? '')) };
    };
    assert.equal((await run('a_b', '--mine')).places, [3, 0]);
    assert.equal((await run('ann', '--mine')).places, []);
    assert.equal((await run('ann', '--author', 'a%b')).places, [1]);
    assert.equal((await run('a_b', '--mine', '--search', 'PRICES a')).places, [3]);
    assert.equal((await run('a_b', '--mine', '--all')).places, [3, 0]);
    const both = await run('a_b', '--mine', '--author', 'a_b');
    assert.is(both.code, 64);
    const open = await startTestRest();
    const stranger = await createShell(open.url);
    const asked = await stranger.run(['session', 'list', '--mine']);
    await stranger.clear();
    await open.stop();
    assert.is(asked.code, 64);
    assert.match(asked.stderr, 'demands no token');
  });

  test('those whose approval past the policy is to be reviewed', async () => {
    const [id = ''] = ids;
    const set = (reason: string | null) =>
      rest.database.query('UPDATE stage.session SET break_glass = $1 WHERE id = $2', [
        reason,
        id.slice(5),
      ]);
    const list = async () => {
      const env = { STAGE_TOKEN: 'ann' };
      const { stdout } = await shell.run(['session', 'list', '--review-due', '--json'], { env });
      return JSON.parse(stdout).sessions.map((one: { session_id: string }) => one.session_id);
    };
    assert.equal(await list(), []);
    await set('fire');
    assert.equal(await list(), [id]);
    await set(null);
  });
});
