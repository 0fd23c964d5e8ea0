/** `stage policy`, and what approve and session show say where the policy demands several approvals. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPolicyExpiry } from '../../src/review/policy/expire-by-policy.ts';
import { readPolicy } from '../../src/review/policy/policy-store.ts';
import { createProposals } from '../../src/review/policy/proposals.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import type { Shell } from './stage.ts';
import { createShell } from './stage.ts';

const tokens = [
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'bob', role: 'reviewer' }),
  testToken({ name: 'root', role: 'operator' }),
];

suite('stage policy', (test) => {
  let rest: TestRest;
  let shell: Shell;
  test.before(async () => {
    rest = await startTestRest({ tokens });
    shell = await createShell(rest.url);
  });
  test.after(async () => {
    await shell.clear();
    await rest.stop();
  });

  const run = (name: string, ...args: string[]) => shell.run(args, { env: { STAGE_TOKEN: name } });
  const write = (name: string, text: string) => writeFile(join(shell.folder, name), text);
  const proposed = async () => {
    const id = (await run('root', 'session', 'new')).stdout.trim();
    await rest.write(id, 'UPDATE products SET stock = stock + 1');
    await run('root', 'propose', id);
    return id;
  };

  test('without one, session show has no more lines', async () => {
    const shown = await run('root', 'policy', 'show');
    assert.equal([shown.code, shown.stdout], [0, '{"rules": []}\n']);
    const id = (await run('root', 'session', 'new')).stdout.trim();
    const { stdout } = await run('root', 'session', 'show', id);
    assert.not.match(stdout, /rule|approvals/);
    const tested = await run('root', 'policy', 'test', id);
    assert.equal([tested.code, tested.stdout], [0, '']);
  });

  test('a file is set, and refused with the place of its fault', async () => {
    await write('wrong.yaml', 'rules:\n  - name: two\n    approvals: {cuont: 2}\n');
    const wrong = await run('root', 'policy', 'set', 'wrong.yaml');
    assert.is(wrong.code, 1);
    assert.match(
      wrong.stderr,
      /rules\[0\]\.approvals\.cuont: there is no such key; did you mean count\?/,
    );
    assert.is((await run('root', 'policy', 'set', 'none.yaml')).code, 64);
    await write(
      'two.yaml',
      'rules:\n  - name: two\n    approvals: {count: 2}\n    max_rows: 1000\n    break_glass: [bob]\n',
    );
    assert.is((await run('ann', 'policy', 'set', 'two.yaml')).code, 4);
    const set = await run('root', 'policy', 'set', 'two.yaml', '-m', 'two agree');
    assert.equal([set.code, set.stdout], [0, 'The policy is at version 1.\n']);
    assert.is((await run('root', 'policy', 'set', 'two.yaml', '--after', '0')).code, 6);
    assert.match((await run('ann', 'policy', 'history')).stdout, /^1\t\S+\troot\ttwo agree\n$/);
    assert.is(JSON.parse((await run('ann', 'policy', 'show')).stdout).rules[0].name, 'two');
    assert.is(JSON.parse((await run('ann', 'policy', 'show', '--json')).stdout).set_by, 'root');
  });

  test('an approval that is not the last says who is missing, and exits with 8', async () => {
    const id = await proposed();
    assert.match(
      (await run('ann', 'session', 'show', id)).stdout,
      /approvals\t0 of 2 agreed; 2 more\n/,
    );
    const first = await run('ann', 'approve', id, '--yes');
    assert.equal([first.code, first.stdout], [8, `${id}\tproposed\n1 of 2 agreed: ann; 1 more\n`]);
    const json = await run('ann', 'approve', id, '--yes', '--json');
    assert.equal([json.code, JSON.parse(json.stdout).approvals.count], [8, 1]);
    const shown = (await run('ann', 'session', 'show', id)).stdout;
    assert.match(
      shown,
      /rule\tholds {2}two: at most 1000 rows of products: the session changes \d+\n/,
    );
    assert.match(shown, /approvals\t1 of 2 agreed: ann; 1 more\n/);
    assert.match(shown, /may approve\tpast the policy, with a reason: bob\n/);
    const waited = await run('ann', 'wait', id, '--timeout', '1ms');
    assert.is(waited.code, 8);
    assert.match(waited.stderr, /Approvals: 1 of 2 agreed: ann; 1 more\./);
    const last = await run('bob', 'approve', id, '--yes');
    assert.equal([last.code, last.stdout], [0, `${id}\tapproved\n`]);
  });

  test('test says which rule is broken, and exits with 6', async () => {
    const id = (await run('root', 'session', 'new')).stdout.trim();
    await rest.write(id, 'UPDATE products SET stock = stock + 1');
    // the rule is set after the rows were staged: it would refuse the statement
    await write('few.json', '{"rules": [{"name": "few", "tables": ["products"], "max_rows": 1}]}');
    assert.is((await run('root', 'policy', 'set', 'few.json')).code, 0);
    const tested = await run('root', 'policy', 'test', id);
    assert.is(tested.code, 6);
    assert.match(
      tested.stdout,
      /^BROKEN {2}few: at most 1 rows of products: the session changes \d+\n$/,
    );
    const refused = await run('root', 'propose', id);
    assert.is(refused.code, 6);
    assert.match(refused.stderr, /rule "few": at most 1 rows of products/);
  });

  test('wait ends with 6, and the rule, when a proposal has expired', async () => {
    await write('old.json', '{"rules": [{"name": "soon", "expire": "1h"}]}');
    assert.is((await run('root', 'policy', 'set', 'old.json')).code, 0);
    const id = await proposed();
    await rest.database.query(
      `UPDATE stage.session SET proposed_at = proposed_at - interval '2 hours' WHERE id = '${id.slice(5)}'`,
    );
    const expired = await createPolicyExpiry(rest.db)(
      await createProposals(rest.db)(await readPolicy(rest.db)),
    );
    assert.is(expired[0]?.rejected?.status, 'rejected');
    const waited = await run('root', 'wait', id);
    assert.is(waited.code, 6);
    assert.match(
      waited.stderr,
      /is rejected: expired: rule "soon": approve within 1h of the proposal/,
    );
  });

  test('session show says how much of a budget is spent', async () => {
    await write('day.json', '{"rules": [{"name": "day", "budget": {"rows_per_day": 3}}]}');
    assert.is((await run('root', 'policy', 'set', 'day.json')).code, 0);
    const id = (await run('root', 'session', 'new')).stdout.trim();
    const spent = 'at most 3 rows a day by root \\(UTC\\): \\d+ were proposed today';
    assert.match(
      (await run('root', 'session', 'show', id)).stdout,
      new RegExp(`rule\t\\w+ +day: ${spent}, and this session has 0\n`),
    );
    const refused = await rejects(rest.write(id, 'UPDATE products SET stock = stock + 1'));
    assert.match(refused.message, new RegExp(`"day": ${spent}, and this session would have`));
  });
});
