/** A portal outlives its prepared statement: the name may be closed, and given to another one, before the portal runs. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { pipelineSchema } from '../helpers/random-pipeline.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, c, d, e, p, q, runScript, s } from '../helpers/wire-script.ts';

const insert = (id: number) => `INSERT INTO item VALUES (${id}, 'n${id}', 7) RETURNING id`;
const begun = [q('BEGIN'), p(insert(70), 'of'), b([], 'of', 'two'), c('statement', 'of')];
/** A text whose analysis may run code. */
const analysed = p('DELETE FROM part WHERE id = 2');
const read = p(`SELECT lower('A')`);
const rows = [q('SELECT id, name FROM item WHERE id >= 70 ORDER BY id'), q('COMMIT')];

const scripts = {
  'a name that is left keeps its statement': [
    ...begun.slice(0, -1),
    analysed,
    e(0, 'two'),
    d('statement', 'of'),
    s,
    ...rows,
  ],
  'a statement of PREPARE that is deallocated runs all the same': [
    q('BEGIN'),
    q(`PREPARE of AS ${insert(70)}`),
    b([], 'of', 'two'),
    p('DEALLOCATE of'),
    b(),
    e(),
    analysed,
    e(0, 'two'),
    s,
    ...rows,
  ],
  'a closed name is free': [
    ...begun,
    analysed,
    e(0, 'two'),
    p(insert(71), 'of'),
    d('statement', 'of'),
  ],
  'a name has the statement that it was given': [
    ...begun,
    p(insert(71), 'of'),
    analysed,
    e(0, 'two'),
    b([], 'of', 'three'),
    e(0, 'three'),
    s,
    ...rows,
  ],
  'a statement of that name is described as it is': [
    ...begun,
    p(`SELECT 1 AS one, 'two'::text AS two`, 'of'),
    analysed,
    e(0, 'two'),
    d('statement', 'of'),
    b([], 'of', 'three'),
    e(0, 'three'),
    s,
    ...rows,
  ],
  'the unnamed statement is the newest': [
    q('BEGIN'),
    p(insert(72)),
    b([], '', 'two'),
    read,
    b([], '', 'between'),
    e(0, 'between'),
    p(insert(73)),
    e(0, 'two'),
    b(),
    e(),
    s,
    ...rows,
  ],
};

suite('statements that are closed before their portals run', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(pipelineSchema);
  });
  test.after(() => proxied.stop());

  for (const [name, script] of Object.entries(scripts))
    for (const reads of ['production', 'staged'] as const)
      test(`${name}, reads: ${reads}`, async () => {
        const [, , ...fill] = pipelineSchema.trim().split('\n');
        await proxied.twin.query(['TRUNCATE item, part', ...fill].join(';\n'));
        const shown = (heard: readonly string[]) =>
          heard.filter(
            (message) =>
              !(
                message.startsWith('S ') ||
                (reads === 'production' && /^[DT] |^C SELECT/.test(message))
              ),
          );
        const staged = await runScript(await proxied.session(reads), script);
        assert.equal(shown(staged), shown(await runScript(proxied.twin.url, script)));
      });
});
