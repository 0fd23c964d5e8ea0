/** PREPARE TRANSACTION is refused, and ends the block as in PostgreSQL without prepared transactions. */
import { serverMajor } from '../helpers/database.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, e, h, p, q, run, runScript, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE items (id int PRIMARY KEY, n int);
CREATE TABLE parts (id int PRIMARY KEY, item int REFERENCES items DEFERRABLE INITIALLY DEFERRED);`;
const prepare = `PREPARE TRANSACTION 'x'`;
const count = 'SELECT count(*) FROM items';
const write = 'INSERT INTO items VALUES (1, 1)';

const scripts: Readonly<Record<string, readonly string[]>> = {
  'in a block': ['BEGIN', write, prepare, count, write, count],
  'in a block that only reads': ['BEGIN', count, prepare, 'BEGIN READ ONLY', prepare, count],
  'outside of a block': [prepare, count],
  'in a failed block': ['BEGIN', write, 'SELECT 1/0', prepare, count],
  'behind savepoints': ['BEGIN', 'SAVEPOINT a', write, prepare, 'ROLLBACK TO a', 'COMMIT', count],
  'with a constraint that is checked then': [
    'BEGIN',
    'INSERT INTO parts VALUES (1, 9)',
    prepare,
    count,
  ],
  'among several': [`${write}; ${prepare}; ${write}`, `BEGIN; ${write}; ${prepare}`, count],
};
const batches: Record<string, readonly Buffer[]> = {
  'in one batch': [...['BEGIN', write, prepare, count].map((text) => run(text)), s, run(count), s],
  'prepared once': [
    p(prepare, 'p'),
    s,
    q('BEGIN'),
    run(write),
    b([], 'p'),
    e(),
    h,
    run(count),
    s,
    q('BEGIN'),
    b([], 'p'),
    e(),
    s,
    q(count),
  ],
};

// before 18 PostgreSQL keeps what such a batch wrote, see docs/limits.md
if ((await serverMajor()) >= 18)
  batches['in a batch without a block'] = [
    ...[write, prepare, count].map((text) => run(text)),
    s,
    run(count),
    s,
  ];

/** The direct server refuses it for another reason. */
const refused = (answers: readonly string[]) =>
  answers.map((answer) => (/^E .*C=(55000|0A000)/.test(answer) ? 'E refused' : answer));

suite('PREPARE TRANSACTION', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const compare = async (messages: readonly Buffer[]) => {
    const { daemon, twin } = proxied;
    const session = await daemon.newSession({ reads: 'staged' });
    const answers = await runScript(daemon.clientUrl(session), messages);
    const expected = await runScript(twin.url, messages);
    await twin.query('DELETE FROM parts; DELETE FROM items');
    assert.equal(refused(answers), refused(expected));
    return answers;
  };

  for (const [name, texts] of Object.entries(scripts)) {
    test(`${name}: simple`, async () => {
      await compare(texts.map(q));
    });
    // a Parse takes one statement
    if (name === 'among several') continue;
    test(`${name}: extended`, async () => {
      await compare(texts.map((text) => Buffer.concat([run(text), s])));
    });
  }
  for (const [name, messages] of Object.entries(batches))
    test(name, async () => {
      await compare(messages);
    });

  test('is refused with the reason', async () => {
    const answers = await compare(['BEGIN', prepare].map(q));
    assert.match(answers.join('\n'), /C=0A000.*cannot prepare transactions.*H=Use COMMIT/);
  });
});
