/** Errors that the proxy returns in the server's place have the same effects as the server's. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, c, d, data, done, e, h, p, q, run, runScript, s } from '../helpers/wire-script.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, name text);
INSERT INTO item VALUES (1, 'one');
CREATE VIEW item_view AS SELECT * FROM item;
CREATE RULE on_insert AS ON INSERT TO item_view DO INSTEAD INSERT INTO item VALUES (NEW.*);
CREATE RULE on_update AS ON UPDATE TO item_view DO INSTEAD UPDATE item SET name = NEW.name WHERE id = OLD.id;
CREATE RULE on_delete AS ON DELETE TO item_view DO INSTEAD DELETE FROM item WHERE id = OLD.id;
CREATE FUNCTION tell() RETURNS text LANGUAGE plpgsql AS $$BEGIN NOTIFY told; RETURN 'told'; END$$;
`;

const drop = 'DROP TABLE item';
/** A statement that is refused because of its text. */
const create = 'CREATE TABLE made (i int)';
const refused = /^E .*C=0A000 .*H=/;
const functionCall = Buffer.from('F\x00\x00\x00\x0e\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00');

/** Returns the letters of the responses: R for a refusal. Leaves out what the last query of `runScript` adds. */
const letters = (answers: readonly string[]) =>
  answers
    .slice(0, -5)
    .map((answer) => (refused.test(answer) ? 'R' : answer.startsWith('Z') ? answer[2] : answer[0]))
    .join('');

suite('refusals', (test) => {
  let proxied: Proxied;
  let url: string;
  test.before(async () => {
    proxied = await startProxied(schema);
    url = await proxied.session();
  });
  test.after(() => proxied.stop());

  const cases: Record<string, [messages: readonly Buffer[], answers: string]> = {
    'a Query': [[q(drop), q('SELECT 1')], 'RITDCI'],
    'one of several statements: none of them runs': [
      [q(`UPDATE item SET name = 'x'; ${create}; SELECT 1`), q(`SELECT 1; ${create}`)],
      'RIRI',
    ],
    'one of several statements, of which the catalog has to tell: what ran before it is undone': [
      [q(`UPDATE item SET name = 'x'; ${drop}; SELECT 1`), q(`SELECT 1; ${drop}`)],
      'CRITDCRI',
    ],
    'a batch: the rest up to Sync is skipped': [
      [run('SELECT 1'), run(drop), run('SELECT 2'), s, run('SELECT 3'), s],
      '12TDCRI12TDCI',
    ],
    'a batch with Flush': [[run('SELECT 1'), h, p(drop), h, b(), h, s, s], '12TDCRII'],
    'a transaction, which has failed then': [
      [q('BEGIN'), q('SELECT 1'), q(drop), q('SELECT 2'), q(drop), q('COMMIT'), q('SELECT 3')],
      'CTTDCTREEEEECITDCI',
    ],
    'a transaction in batches': [
      [run('BEGIN'), run(drop), s, run('SELECT 1'), s, run('ROLLBACK'), s],
      '12nCREEE12nCI',
    ],
    'a savepoint brings the transaction back': [
      [q('BEGIN'), q('SAVEPOINT a'), q(drop), q('ROLLBACK TO a'), q('SELECT 1'), q('COMMIT')],
      'CTCTRECTTDCTCI',
    ],
    'a batch that writes: nothing of it stays': [
      [run(`UPDATE item SET name = 'x'`), run(drop), s, q('SELECT name FROM item')],
      '12nCRITDCI',
    ],
    'a message that writes before a statement that cannot be staged': [
      [q(`UPDATE item SET name = 'x'; INSERT INTO item_view VALUES (2); SELECT 1`)],
      'CRI',
    ],
    'COPY from the client, who sends all the same': [
      [q('COPY item FROM STDIN FREEZE'), data('x\n'), done, q('SELECT 1')],
      'RITDCI',
    ],
    'volatile functions in writes, for what they may do besides writing': [
      [
        q('UPDATE item SET name = tell()'),
        run('DELETE FROM item WHERE name = public.tell()'),
        s,
        q('PREPARE w(text) AS UPDATE item SET name = $1'),
        q('EXECUTE w(tell())'),
        q('DEALLOCATE w'),
      ],
      'RIRICIRICI',
    ],
    'a function call': [[functionCall, q('SELECT 1')], 'RITDCI'],
    'a function call in a transaction': [
      [q('BEGIN'), functionCall, q('SELECT 1'), q('ROLLBACK')],
      'CTREEECI',
    ],
    'writes to what is no table, and that rules carry out': [
      [
        q(`INSERT INTO item_view VALUES (2)`),
        run(`DELETE FROM item_view`),
        s,
        q('UPDATE item_view SET name = i.name FROM item i'),
      ],
      'RIRIRI',
    ],
  };
  for (const [name, [messages, answers]] of Object.entries(cases)) {
    test(name, async () => {
      const before = await proxied.contents();
      assert.is(letters(await runScript(url, messages)), answers);
      assert.equal(await proxied.contents(), before);
    });
  }

  test('a search path that hides functions and operators of the server', async () => {
    const answers = await runScript(url, [
      q('SET search_path = public, pg_catalog'),
      q(`UPDATE item SET name = 'x' WHERE id = 9`),
      q('SET search_path = "pg_catalog", public'),
      q(`UPDATE item SET name = 'x' WHERE id = 9`),
      q('RESET search_path'),
    ]);
    assert.is(answers.filter((answer) => refused.test(answer)).length, 1);
    assert.ok(answers.some((answer) => answer.startsWith('C UPDATE 0')));
  });

  test('names of ours, of whatever kind', async () => {
    const messages = [
      ...[
        'SAVEPOINT _stage_x',
        'PREPARE _stage_x AS SELECT 1',
        'EXECUTE _stage_begin',
        'DEALLOCATE _stage_commit',
      ].map(q),
      ...[
        p('SELECT 1', '_stage_x'),
        s,
        b([], '_stage_begin'),
        s,
        b([], '', '_stage_portal'),
        s,
        e(0, '_stage_portal'),
        s,
      ],
      ...[
        d('statement', '_stage_begin'),
        s,
        c('statement', '_stage_begin'),
        s,
        c('portal', '_stage_portal'),
        s,
      ],
    ];
    const answers = (await runScript(url, messages)).slice(0, -5);
    assert.is(answers.filter((answer) => answer.includes('C=42939')).length, 11);
    assert.is(answers.length, 22);
  });

  test('the settings that everything relies on', async () => {
    const messages = [
      q(`SET client_encoding = latin1`),
      q(`SELECT set_config('standard_conforming_strings', 'off', false)`),
      q(`SET stage.session = 'x'`),
      q('SHOW standard_conforming_strings'),
    ];
    const answers = await runScript(url, messages);
    assert.is(answers.filter((answer) => answer.startsWith('E ')).length, 3);
    assert.ok(answers.some((answer) => answer.startsWith('D ') && answer.endsWith('on')));
  });

  test('a setting changed behind our back ends the connection', async () => {
    await proxied.database.query(`CREATE FUNCTION spoil() RETURNS text LANGUAGE sql
      AS $$SELECT set_config('standard_conforming_strings', 'off', false)$$`);
    const answers = await runScript(url, [q('SELECT spoil()'), q('SELECT 1')]);
    assert.match(answers.at(-2) ?? '', /^E S=FATAL .*C=57P01/);
    assert.is(answers.at(-1), 'closed');
  });

  test('a message longer than allowed', async () => {
    const long = q(`SELECT '${'x'.repeat(100)}'`);
    long.writeInt32BE(0x7ffffff0, 1);
    const answers = await runScript(url, [q('SELECT 1'), long]);
    assert.match(answers.at(-2) ?? '', /^E S=FATAL .*C=08P01/);
  });
});
