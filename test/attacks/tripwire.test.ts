/** Code that a staged write runs may disable everything in its reach: the check at the end of the statement still runs. */
import { assert, suite } from '../helpers/suite.ts';
import { b, data, done, e, p, q, run, runScript, s } from '../helpers/wire-script.ts';
import { besiege } from './attacked-database.ts';
import { fingerprint } from './fingerprint.ts';

const update = 'UPDATE item SET price = evil_planned()';
const copy = 'COPY item (id, name) FROM STDIN WHERE evil_unwatched() = 1';
const row = [data('50\tx\n'), done];

/** Ways to end a statement, and a transaction, before the check. */
const ways: Readonly<Record<string, readonly Buffer[]>> = {
  'a write that is planned and never executed': [p(update), b(), s],
  'one that is planned in a transaction': [q('BEGIN'), p(update), b(), s, q('COMMIT')],
  'one that is planned before COMMIT in its batch': [q('BEGIN'), p(update), b(), run('COMMIT'), s],
  'one that is planned before a query': [q('BEGIN'), p(update), b(), q('COMMIT')],
  'two that are planned, of which one is executed': [
    ...[p('UPDATE item SET price = harmless()', 'harmless'), p(update, 'evil'), s],
    ...[b([], 'evil', 'evil'), b([], 'harmless', 'harmless'), e(0, 'harmless'), s],
  ],
  'settings that are put back as they were': [q('UPDATE item SET price = evil_sealed()')],
  'a table that is emptied, and the count of it': [q('UPDATE item SET price = evil_uncounted()')],
  'a transaction in one message': [q(`BEGIN; ${update}; COMMIT`)],
  'a transaction in messages': [q('BEGIN'), q(update), q('COMMIT')],
  'a transaction in a batch': [run('BEGIN'), run(update), run('COMMIT'), s],
  'the arguments of EXECUTE': [
    q('PREPARE w(int) AS UPDATE item SET price = $1'),
    q('EXECUTE w(evil_unwatched())'),
  ],
  'a key that is drawn': [q(`SELECT nextval('numbers'), evil_unwatched()`)],
  'a key that is drawn beside what is planned': [
    run(`SELECT nextval('numbers'), evil_planned()`),
    s,
  ],
  'a key that is drawn in a transaction': [
    ...[q('BEGIN'), q(`SELECT nextval('numbers') FROM patient_rows`), q('COMMIT')],
  ],
  'the data of a COPY': [q(copy), ...row],
  'the data of a COPY in a transaction': [q('BEGIN'), q(copy), ...row, q('COMMIT')],
  'the data of an extended COPY': [p(copy), b(), e(), ...row, s],
  'the data of an extended COPY in a transaction': [
    ...[q('BEGIN'), p(copy), b(), e(), ...row, s],
    ...[run('COMMIT'), s],
  ],
};

/** Queries whose rows are locked where writing is possible before they are read READ ONLY. */
const locked: Readonly<Record<string, string>> = {
  'by what code says that is planned': 'SELECT id FROM item WHERE price = evil_planned()',
  'by what code says': 'SELECT id FROM item WHERE evil_patient() = 1 ORDER BY id LIMIT 1',
  'by what volatile code says': 'SELECT id FROM item WHERE evil() = 1',
  'in the order of what code says': 'SELECT id FROM item ORDER BY evil_patient(), id',
  'beside a view that code stands in': 'SELECT i.id FROM item i JOIN patient_rows e ON e.id = i.id',
  'by a limit that code gives': 'SELECT id FROM item LIMIT evil_patient()',
};

suite('the tripwire and code that knows it', (test) => {
  const siege = besiege(test);

  for (const [name, messages] of Object.entries(ways)) {
    test(name, async () => {
      const { attacked, before } = siege;
      const url = await attacked.session('owner', 'production');
      const answers = await runScript(url, [...messages, s, q('ROLLBACK')]);
      assert.equal(await fingerprint(attacked.database), before);
      // the statement itself is refused, not only its COMMIT, before which the database checks once more
      const refusal = answers.find((answer) => answer.startsWith('E ')) ?? '';
      assert.match(refusal, /C=0A000 M=cannot stage .*(write to|settings of the staging)/);
      const isBlock = Buffer.concat(messages).includes('BEGIN');
      assert.is(answers.includes('Z E'), isBlock, answers.join('\n'));
    });
  }

  for (const [what, text] of Object.entries(locked)) {
    test(`rows that are locked ${what}`, async () => {
      const { attacked, before } = siege;
      for (const role of ['owner', 'superuser'] as const) {
        const url = await attacked.session(role, 'staged');
        const answers = await runScript(url, [
          ...[q('BEGIN'), q(`${text} FOR UPDATE`), q('COMMIT')],
          ...[q('BEGIN'), run(`${text} FOR UPDATE`), s, q('COMMIT')],
        ]);
        assert.equal(await fingerprint(attacked.database), before);
        assert.is(answers.filter((answer) => answer.startsWith('E ')).length, 2);
        assert.is(answers.filter((answer) => answer === 'Z E').length, 2, 'refused before COMMIT');
      }
    });
  }

  test('and a write that calls no such code stands', async () => {
    const url = await siege.attacked.session('owner', 'staged');
    const answers = await runScript(url, [
      ...[q('BEGIN'), p('UPDATE item SET price = harmless() WHERE id = 1'), b(), e(), s],
      ...[q('COMMIT'), q('SELECT price FROM item WHERE id = 1')],
    ]);
    assert.not.match(answers.join('\n'), /^E /m);
    assert.match(answers.join('\n'), /77/);
  });
});
