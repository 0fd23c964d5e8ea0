/** default_transaction_read_only applies, and is reset, exactly where it is in PostgreSQL. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { pipelineSchema } from '../helpers/random-pipeline.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, run, runScript, s } from '../helpers/wire-script.ts';

const write = 'UPDATE item SET amount = 5 WHERE id = 1';
const on = 'SET default_transaction_read_only = on';
const characteristics = 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY';

const scripts: Record<string, readonly Buffer[]> = {
  'set, and set back': [
    ...[on, write, 'SET default_transaction_read_only = off', write, characteristics, write],
    ...['SET default_transaction_read_only TO DEFAULT', write, on, 'RESET ALL', write],
    ...[on, 'DISCARD ALL', write, on, 'RESET default_transaction_read_only', write],
  ].map(q),
  'rolled back with its transaction': [
    ...['BEGIN', on, write, 'ROLLBACK', write, 'BEGIN', on, 'COMMIT', write, 'RESET ALL'],
    ...[`BEGIN; ${on}; SELECT 1/0`, 'COMMIT', write, `${on}; SELECT 1/0`, write],
    ...[`${characteristics}; BEGIN READ WRITE; ${write}`, 'ROLLBACK', write],
    ...['BEGIN', 'SAVEPOINT a', on, 'ROLLBACK TO a', 'COMMIT', write],
    ...[on, 'BEGIN READ WRITE', 'RESET ALL', 'ROLLBACK', write],
  ].map(q),
  'in the middle of a message': [
    ...[`${on}; ${write}`, write, `RESET ALL; ${write}`, write],
    ...[`${on}; COMMIT; ${write}`, `${write}; ROLLBACK; RESET ALL; ${write}`, write],
  ].map(q),
  'in the middle of a batch': [
    ...[run(on), run(write), s, run(write), s, run('RESET ALL'), s, run(write), s],
    ...[run(on), run('SELECT 1/0'), s, run(write), s],
    ...[run('BEGIN'), run(on), run('ROLLBACK'), run(write), s, run(write), s],
  ],
  'rolled back with a message': [
    ...[q(`${on}; ${write}; BEGIN READ ONLY, READ WRITE; SAVEPOINT p`)],
    ...[q(`SELECT 1; ${write}`), q(write)],
  ],
  'set in a message, and used in a batch': [
    ...[q(`PREPARE d AS ${write}; ${characteristics}; EXECUTE d; PREPARE a AS ${write}`)],
    ...[run(write), s, run(write), s],
  ],
};

suite('the default access', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(pipelineSchema);
  });
  test.after(() => proxied.stop());

  const withOption = (url: string, option: string) => {
    const changed = new URL(url);
    const options = changed.searchParams.get('options') ?? '';
    changed.searchParams.set('options', `${options} -c ${option}`.trim());
    return changed.href;
  };

  for (const start of ['off', 'on']) {
    for (const [name, messages] of Object.entries(scripts)) {
      test(`${name}, ${start} from the start`, async () => {
        const option = `default_transaction_read_only=${start}`;
        const answers = async (url: string) => {
          const reported = await runScript(withOption(url, option), messages);
          // Values that a rollback restores are reported with the response to the next message.
          return reported.filter((line) => !line.startsWith('S default_transaction_read_only'));
        };
        const staged = await answers(await proxied.session('staged'));
        assert.equal(staged, await answers(proxied.twin.url));
      });
    }
  }
});
