/**
 * Without a policy document every response, every output of the command line and every text in the audit's chain are byte for byte those of
 * the file in `golden`: `STAGE_TEST_WRITE=1` writes it. Ids, times and hashes have numbers there, in the order in which they appear.
 */
import { createHash } from 'node:crypto';
import type { Shell } from '../cli/stage.ts';
import { createShell } from '../cli/stage.ts';
import { checkGenerated } from '../helpers/generated.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'dev', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
];

/** Returns the function that replaces what differs from run to run. The same value gets the same number. */
function numbered(): (text: string) => string {
  const known = new Map<string, string>();
  const forms =
    /(?:sess_|mut_|aud_|evt_|cmt_)[0-9a-f]+|sha256:[0-9a-f]{64}|\b[0-9a-f]{64}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\d{4}-\d\d-\d\dT[\d:.]+Z/g;
  const kindOf = (value: string) =>
    /^\d{4}-\d\d-/.test(value) ? 'time' : (/^[a-z]+(?=[_:])/.exec(value)?.[0] ?? 'hash');
  const numbers = new Map<string, number>();
  const nameOf = (value: string) => {
    const kind = kindOf(value);
    // times are often equal by chance
    if (kind === 'time') return 'time';
    const number = (numbers.get(kind) ?? 0) + 1;
    numbers.set(kind, number);
    return `${kind}_${number}`;
  };
  return (text) =>
    text
      .replaceAll(/\(\d+ (?:s|min) ago\)/g, '(now)')
      .replaceAll(/\b\d+ (?:s|min)\b/g, 'now')
      .replaceAll(/ +(?=\n)/g, '')
      .replaceAll(forms, (value) => {
        const name = known.get(value) ?? nameOf(value);
        known.set(value, name);
        return name;
      });
}

suite('without a policy', (test) => {
  let rest: TestRest;
  let shell: Shell;
  const lines: string[] = [];
  test.before(async () => {
    rest = await startTestRest({ tokens });
    shell = await createShell(rest.url);
    await rest.database.query(`CREATE TABLE parts (id int PRIMARY KEY, name text, price numeric(9,2));
      INSERT INTO parts SELECT g, 'part ' || g, g FROM generate_series(1, 9) g`);
  });
  test.after(async () => {
    await shell.clear();
    await rest.stop();
  });

  const call = async (as: string, method: string, path: string, json?: object) => {
    const headers = { authorization: `Bearer ${as}` };
    const answer = await rest.call(method, path, { headers, ...(json && { json }) });
    const type = String(answer.headers['content-type']);
    lines.push(`> ${as} ${method} ${path} ${json ? JSON.stringify(json) : ''}`);
    lines.push(`${answer.status} ${type}`, answer.text);
    return answer.body;
  };
  const stage = async (as: string, ...args: string[]) => {
    const { code, stdout, stderr } = await shell.run(args, { env: { STAGE_TOKEN: as } });
    lines.push(`$ stage ${args.join(' ')}`, `${stdout}${stderr}exit ${code}`);
  };
  const staged = async (...statements: string[]) => {
    const { session_id: id } = await call('dev', 'POST', '/sessions', { project_id: 'shop' });
    for (const statement of statements) await rest.write(id, statement);
    return String(id);
  };
  const proposed = async (...statements: string[]) => {
    const id = await staged(...statements);
    await call('dev', 'POST', `/sessions/${id}/propose`, {});
    return id;
  };

  async function approvedOverRest(): Promise<void> {
    const id = await staged(
      'UPDATE parts SET price = price + 1 WHERE id < 3',
      `INSERT INTO parts VALUES (20, 'new', 2.50)`,
      'DELETE FROM parts WHERE id = 9',
    );
    for (const path of ['', '/diff', '/diff/outline', '/conflicts', '/mutations', '/decisions'])
      await call('dev', 'GET', `/sessions/${id}${path}`);
    await call('ann', 'POST', `/sessions/${id}/approve`, {});
    await call('dev', 'POST', `/sessions/${id}/propose`, { message: 'please' });
    await call('dev', 'POST', `/sessions/${id}/propose`, {});
    await call('ann', 'GET', `/sessions/${id}`);
    await call('ann', 'GET', '/sessions?status=proposed');
    await call('dev', 'POST', `/sessions/${id}/approve`, {});
    await call('ann', 'POST', `/sessions/${id}/approve`, { digest: `sha256:${'0'.repeat(64)}` });
    await call('ann', 'POST', `/sessions/${id}/approve`, { approved_by: 'Ann Lee' });
    await call('ann', 'POST', `/sessions/${id}/approve`, { approved_by: 'Ann Lee' });
    for (const path of ['', '/diff', '/events', '/decisions'])
      await call('ann', 'GET', `/sessions/${id}${path}`);
    const { entries } = await call('ann', 'GET', '/audit?project_id=shop');
    await call('ann', 'GET', `/audit/${entries[0].id}`);
    await call('ann', 'GET', '/audit/verify');
  }

  async function otherDecisions(): Promise<void> {
    const back = await proposed('UPDATE parts SET price = 5 WHERE id = 5');
    await call('ann', 'POST', `/sessions/${back}/reopen`, { message: 'why 5?' });
    await call('dev', 'POST', `/sessions/${back}/comments`, { body: 'because' });
    await call('dev', 'POST', `/sessions/${back}/propose`, {});
    await call('ann', 'POST', `/sessions/${back}/reject`, { reason: 'no' });
    await call('ann', 'GET', `/sessions/${back}`);
    await call('ann', 'GET', `/sessions/${back}/events`);
    const late = await proposed('UPDATE parts SET price = 6 WHERE id = 6');
    await rest.database.query('UPDATE parts SET price = 66 WHERE id = 6');
    await call('ann', 'POST', `/sessions/${late}/approve`, {});
    await call('dev', 'DELETE', `/sessions/${late}`);
    await call('ann', 'GET', `/sessions/${late}`);
  }

  async function onTheCommandLine(): Promise<void> {
    const id = await staged('UPDATE parts SET price = 7 WHERE id = 7');
    await stage('dev', 'session', 'list');
    await stage('dev', 'session', 'show', id);
    for (const words of ['diff', 'diff --stat', 'log', 'check', 'propose'])
      await stage('dev', ...words.split(' '), id);
    await stage('ann', 'session', 'show', id, '--json');
    await stage('dev', 'approve', id, '--yes');
    await stage('ann', 'wait', id, '--timeout', '1ms');
    await stage('ann', 'approve', id, '--yes');
    await stage('ann', 'wait', id);
    for (const words of ['session show', 'comments', 'audit list -s'])
      await stage('ann', ...words.split(' '), id);
    await stage('ann', 'audit', 'verify');
    const other = await proposed('UPDATE parts SET price = 8 WHERE id = 8');
    await stage('ann', 'reject', other, '--yes', '--reason', 'no');
    await stage('ann', 'wait', other);
  }

  test('responses and outputs are those of the file', async () => {
    await approvedOverRest();
    await otherDecisions();
    await onTheCommandLine();
    checkGenerated('test/rest/golden/without-policy.txt', numbered()(`${lines.join('\n')}\n`));
  });

  test('approvals are sealed with the first version of their text', async () => {
    const rows = await rest.database.query<{ before: string; text: string; hash: string }>(`
      SELECT a.hash::text, encode((SELECT e.hash FROM stage.audit e WHERE e.position = a.first_position + a.entries - 1), 'hex') AS before,
        jsonb_build_array('stage.approval.v1', a.number, a.session, a.project_id, a.digest, a.first_position, a.entries,
          stage.iso_time(a.approved_at), a.approved_by, a.approved_as)::text AS text
      FROM stage.approval a ORDER BY a.number`);
    assert.is(rows.length, 2);
    for (const { before, text, hash } of rows) {
      const link = createHash('sha256').update(Buffer.from(before, 'hex')).update(text);
      assert.is(`\\x${link.digest('hex')}`, hash);
    }
  });
});
