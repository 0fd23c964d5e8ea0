/** Portals of a failed transaction exist until its end, and are refused as in PostgreSQL. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { pipelineSchema } from '../helpers/random-pipeline.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, c, d, e, exchange, h, p, q, run, runScript, s } from '../helpers/wire-script.ts';

const read = 'SELECT id FROM item ORDER BY id';
const change = 'UPDATE item SET amount = 1 WHERE id < 3 RETURNING id';
const silent = 'UPDATE item SET amount = 2 WHERE id = 3';

const open = [
  ...[p(read, 'read'), b([], 'read', 'bound'), b([], 'read', 'begun'), e(1, 'begun')],
  ...[p(change, 'change'), b([], 'change', 'writes'), e(1, 'writes')],
  ...[p(silent, 'silent'), b([], 'silent', 'quiet'), p(read), b(), s],
];
const forget = ['read', 'change', 'silent', 'own', 'no'].map((name) => c('statement', name));
/** Each in its own batch. */
const lookAt = (...names: string[]) =>
  names.flatMap((name) => [d('portal', name), s, e(1, name), s]);
const named = lookAt('bound', 'begun', 'writes', 'quiet', 'nowhere', 'own');
const closed = [c('portal', 'bound'), s, e(0, 'bound'), s, d('portal', 'bound'), s];

/** Messages that fail the transaction. */
const failures: Readonly<Record<string, readonly Buffer[]>> = {
  'a Query': [q('SELECT 1/0')],
  'a statement of the extended protocol': [run('SELECT 1/(id - id) FROM item'), s],
  'a write': [q(`INSERT INTO item VALUES (1, 'x', 1)`)],
  'a text that is no SQL': [p('selec', 'no'), s],
  'a portal itself': [
    p('SELECT 1/(id - 2) FROM (SELECT id FROM item ORDER BY id OFFSET 0) i', 'own'),
    b([], 'own', 'own'),
    e(1, 'own'),
    e(5, 'own'),
    s,
  ],
  'a portal that is not there': [e(0, 'nowhere'), s],
  'a savepoint that is not there': [q('ROLLBACK TO missing')],
};

/** Failures in the unnamed portal of a Query. What PostgreSQL makes of its Execute is undefined (docs/limits.md). */
const inUnnamed = ['a write', 'a savepoint that is not there'];

suite('portals of a failed transaction', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(pipelineSchema);
  });
  test.after(() => proxied.stop());

  for (const [name, failure] of Object.entries(failures)) {
    test(name, async () => {
      const look = inUnnamed.includes(name) ? named : [...named, ...lookAt('')];
      const fails = (...around: readonly string[]) => [
        ...[q('BEGIN'), ...around.map(q), ...forget, ...open, ...failure, ...look, ...closed],
      ];
      const all = [
        ...[...fails(), q('ROLLBACK'), ...look, ...fails(silent), q('COMMIT'), ...look],
        ...[...fails('SAVEPOINT a'), q('ROLLBACK TO a'), ...look, q('ROLLBACK')],
        ...[q('BEGIN'), ...forget, ...open, q('SAVEPOINT a'), ...failure, ...look],
        ...[q('ROLLBACK TO a'), ...look, q('ROLLBACK')],
        ...[q('BEGIN READ ONLY'), ...forget, ...open, ...failure, ...look, q('ROLLBACK')],
      ];
      assert.equal(
        await runScript(await proxied.session('staged'), all),
        await runScript(proxied.twin.url, all),
      );
    });
  }

  for (const [name, before] of [
    ['in the first write of a block', []],
    ['in a later write', [run('DELETE FROM part WHERE id = 2'), s]],
    ['in a read', [run(silent), run('SELECT 1/(id - id) FROM item'), s, q('ROLLBACK TO a')]],
  ] as const) {
    test(`savepoints of the service that are skipped behind an error ${name}`, async () => {
      const insert = run('INSERT INTO item VALUES ($1, $2, 5)', '1', 'again');
      const other = run(`UPDATE item SET name = 'other' WHERE id = 2`);
      const all = [
        ...[
          q('BEGIN'),
          q('SAVEPOINT a'),
          ...before,
          insert,
          run(read),
          other,
          s,
          d(),
          h,
          'wait',
          s,
        ],
        ...[q('ROLLBACK TO a'), other, run(read), s, run(read), insert, s, d(), s, q('COMMIT')],
      ] as const;
      assert.equal(
        await runScript(await proxied.session('staged'), all),
        await runScript(proxied.twin.url, all),
      );
    });
  }

  test('a block that a read has failed releases its locks, although a write was sent along', async () => {
    const url = await proxied.session('staged');
    const [client, other] = [await proxied.wire(url), await proxied.wire(url)];
    await exchange(client, q('BEGIN'));
    await exchange(client, run('UPDATE item SET amount = 4 WHERE id = 1'), s);
    const failing = run('SELECT 1/(id - id) FROM item');
    await exchange(client, failing, run('UPDATE item SET amount = 5 WHERE id = 2'), s);
    // a wait for the lock would end at the test's time limit
    const answers = await exchange(other, q('UPDATE item SET amount = 6 WHERE id = 1'));
    assert.equal(answers, ['C UPDATE 1.', 'Z I']);
    for (const wire of [client, other]) wire.close();
  });

  for (const name of inUnnamed) {
    test(`${name}, and the unnamed portal`, async () => {
      const all = [q('BEGIN'), ...(failures[name] ?? []), e(0, ''), s, q('SELECT 1'), e(0, ''), s];
      const answers = await runScript(await proxied.session('staged'), all);
      const [, ...later] = answers.flatMap((answer) => / C=(\w+) /.exec(answer)?.[1] ?? []);
      assert.ok(later.length > 2);
      assert.equal(new Set(later), new Set(['25P02']));
    });
  }
});
