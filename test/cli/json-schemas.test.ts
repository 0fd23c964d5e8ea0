/** The output of commands with --json matches the JSON Schemas in the repository. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { assert, suite } from '../helpers/suite.ts';
import { serve } from './served.ts';

suite('JSON of the commands', (test) => {
  const served = serve(test, { web: { secure: false } });

  const schemaOf = (name: string) =>
    z.fromJSONSchema(JSON.parse(readFileSync(`templates/schemas/${name}.json`, 'utf8')));

  function check(name: string, text: string, args: readonly string[]): void {
    const { error } = schemaOf(name).safeParse(JSON.parse(text));
    assert.is(error, undefined, `${args.join(' ')}: ${error?.message}`);
  }

  async function valid(name: string, args: readonly string[]): Promise<void> {
    const { stdout, stderr } = await served.shell.run([...args, '--json']);
    assert.is(stderr, '');
    check(name, stdout, args);
  }

  async function validLines(name: string, args: readonly string[]): Promise<void> {
    const lines = (await served.shell.run(args)).stdout.trimEnd().split('\n');
    for (const line of lines) check(name, line, args);
  }

  test('is as its schema says, all the way through a review', async () => {
    await valid('session', ['session', 'new']);
    const [id = ''] = (await served.shell.run(['session', 'new'])).stdout.split('\n');
    await served.rest.write(id, `UPDATE orders SET note = 'x' WHERE id = 1`);
    await served.rest.write(id, 'DELETE FROM order_items WHERE order_id = 1 AND product_id = 5');
    await valid('session-list', ['session', 'list']);
    await valid('diff', ['diff', id]);
    await valid('diff', ['diff', id, '--filter', 'updates']);
    await valid('diff', ['diff', id, '--stat']);
    await valid('log', ['log', id]);
    await valid('status', ['status']);
    await valid('trust', ['trust', '--list']);
    await valid('doctor', ['doctor', '--upstream', served.rest.database.url]);
    await validLines('diff-line', ['diff', id, '-o', 'jsonl']);
    await validLines('log-line', ['log', id, '-o', 'jsonl']);
    await validLines('session', ['session', 'list', '-o', 'jsonl']);
    await served.rest.database.query(`UPDATE orders SET note = 'meanwhile' WHERE id = 1`);
    await valid('check', ['check', id]);
    await served.rest.database.query(`UPDATE orders SET note = NULL WHERE id = 1`);
    await valid('session', ['propose', id]);
    await valid('review-link', ['review-link', id]);
    await valid('login-list', ['login', 'list']);
    await valid('session', ['approve', id, '--yes']);
    await valid('audit-list', ['audit', 'list']);
    await validLines('audit-show', ['audit', 'list', '-o', 'jsonl']);
    await validLines('watch-line', ['watch', id, '--json']);
    const refused = await served.shell.run(['reject', id, '--yes', '--json']);
    check('error', refused.stderr, ['reject']);
    for (const words of [
      ['session', 'show', 'nobody'],
      ['diff', id, '--steps', '-o', 'csv'],
      ['session', 'delete', id],
      ['status', '--server', 'http://127.0.0.1:1'],
    ]) {
      const failed = await served.shell.run([...words, '--json']);
      check('error', failed.stderr, words);
    }
    await valid('audit-show', ['audit', 'show', 'aud_1']);
    await valid('audit-verify', ['audit', 'verify']);
    await valid('session-connections', ['session', 'connections', id]);
    await valid('session-delete', ['session', 'delete', await served.rest.newSession(), '--yes']);
  });

  test('is noticed when it is not', () => {
    assert.is(schemaOf('diff').safeParse({ session_id: 'sess_1', tables: [] }).success, false);
    assert.is(schemaOf('watch-line').safeParse({ event: 'other' }).success, false);
  });
});
