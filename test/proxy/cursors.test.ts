/** SQL cursors in transactions that write: the same rows, tags and errors as in a database that is really changed. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, e, p, q, run, runScript, s } from '../helpers/wire-script.ts';
import { edges, hold } from './cursor-edges.ts';
import { fill, schema, stories } from './cursor-stories.ts';
import { portalStories } from './portal-stories.ts';

type Protocol = (text: string) => Buffer[];
const protocols: Readonly<Record<string, Protocol>> = {
  simple: (text) => [q(text)],
  extended: (text) => text.split('; ').flatMap((statement) => [run(statement), s]),
  'in one batch': (text) => text.split('; ').map((statement) => run(statement)),
};

/** Staged writes between DECLARE and FETCH. */
const ageStories = [
  'staged writes between two FETCHes',
  'staged writes before the first FETCH',
  'cursors of different ages',
];

suite('cursors', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
    await proxied.database.query(fill);
  });
  test.after(() => proxied.stop());
  test.beforeEach(async () => {
    await proxied.twin.query(fill);
  });

  const compare = async (script: readonly Buffer[]) => {
    const before = await proxied.contents();
    // a failed batch has not reached its own ROLLBACK
    const messages = [...script, s, q('ROLLBACK')];
    const url = await proxied.session('staged');
    assert.equal(await runScript(url, messages), await runScript(proxied.twin.url, messages));
    assert.equal(await proxied.contents(), before, 'production');
  };
  for (const [protocol, send] of Object.entries(protocols)) {
    for (const [name, statements] of Object.entries(stories)) {
      const script = ['BEGIN', ...statements, 'ROLLBACK'].flatMap(send);
      test(`${name}, ${protocol}`, () => compare(script));
    }
    for (const [name, statements] of Object.entries(edges)) {
      test(`${name}, ${protocol}`, () => compare(statements.flatMap(send)));
    }
  }
  for (const [name, messages] of Object.entries(portalStories)) {
    test(`portals: ${name}`, () => compare(messages));
  }

  for (const name of ageStories) {
    test(`${name}, where reads are production's`, async () => {
      const statements = (stories[name] ?? []).map((text) => text.replace(/ RETURNING .*/, ''));
      const writes = /^(INSERT|UPDATE|DELETE)/;
      const reads = statements.filter((text) => !writes.test(text));
      const script = (some: readonly string[]) => ['BEGIN', ...some, 'ROLLBACK'].map(q);
      const fetched = (reported: readonly string[]) =>
        reported.filter((message) => /^(C FETCH|C MOVE|D|E)/.test(message));
      const staged = await runScript(await proxied.session('production'), script(statements));
      const direct = await runScript(proxied.twin.url, script(reads));
      assert.ok(statements.length > reads.length);
      assert.equal(fetched(staged), fetched(direct));
    });
  }

  test('WITH HOLD is refused where COMMIT could write, and production is not written to', async () => {
    const before = await proxied.contents();
    const refused = (text: string) => [q('BEGIN'), ...text.split('; ').map(q), q('ROLLBACK')];
    const scripts = [
      refused(hold),
      refused(`SAVEPOINT a; SET TRANSACTION READ ONLY; ${hold}`),
      refused(`SET TRANSACTION READ ONLY; ${hold}`),
      [q('BEGIN READ ONLY; SET TRANSACTION READ WRITE'), q(hold), q('ROLLBACK')],
      [q(`UPDATE item SET n = 1; ${hold}`)],
      [p(hold, 'h'), s, q('BEGIN'), b([], 'h'), e(), s, q('ROLLBACK')],
      [p('UPDATE item SET n = 1'), b(), e(), run(hold), s],
    ];
    for (const script of scripts) {
      const answers = await runScript(await proxied.session(), script);
      assert.match(answers.join('\n'), /^E .*C=0A000 .*WITH HOLD/m);
    }
    assert.equal(await proxied.contents(), before);
  });
});
