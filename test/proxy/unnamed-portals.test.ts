/** The unnamed portal exists where the client has bound it, and nowhere else: internal statements leave none behind. */
import { assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { suite } from '../helpers/suite.ts';
import { b, d, e, p, q, run, s } from '../helpers/wire-script.ts';

const write = `UPDATE item SET name = 'new' WHERE id = 1`;
const looks = { Describe: d('portal', ''), Execute: e() };

/** What comes before, in the same batch or an earlier one. */
const places: Readonly<Record<string, readonly Buffer[]>> = {
  'a write that is parsed': [p(write)],
  'a write that is bound elsewhere': [p(write), b([], '', 'one')],
  'a write that has run in another portal': [p(write), b([], '', 'one'), e(0, 'one')],
  'the batch of a write': [run(write), s],
  'a Query that writes': [q(write)],
  'a block': [q('BEGIN'), run(write), s, q('COMMIT')],
  'a block that is rolled back': [q('BEGIN'), run(write), s, q('ROLLBACK')],
  'BEGIN and a write that is parsed': [q('BEGIN'), p(write)],
  'BEGIN and a Query that writes': [q('BEGIN'), q(write)],
  'a read': [run('SELECT id FROM item'), s],
  'a failed write': [run(`INSERT INTO item VALUES (1, 'again')`), s],
  'a failed Query': [q(`INSERT INTO item VALUES (1, 'again')`)],
};

suite('the unnamed portal', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(
      `CREATE TABLE item (id int PRIMARY KEY, name text); INSERT INTO item VALUES (1, 'one')`,
    );
  });
  test.after(() => proxied.stop());

  for (const [place, before] of Object.entries(places))
    for (const [kind, look] of Object.entries(looks))
      test(`${kind} behind ${place}`, async () => {
        await assertAlike(proxied, [...before, look, s, q('ROLLBACK'), q('SELECT 1')]);
      });
});
