/**
 * Budgets of the policy while staging: a statement is refused exactly where its session could not be proposed with what it has staged by
 * then. Random authors, budgets, proposals of the day and statements; each is staged without a policy, judged, and staged again under it.
 */
import type pg from 'pg';
import { beforePolicy } from '../helpers/before-policy.ts';
import type { Sent } from '../helpers/http.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'bot', role: 'agent' }),
  testToken({ name: 'Bot', role: 'author', secret: 'second' }),
  testToken({ name: 'bea', role: 'author' }),
  testToken({ name: 'root', role: 'operator' }),
];
const authors = ['bot', 'second', 'bea'];
const projects = ['default', 'other'];

const schema = `
CREATE TABLE items (id int PRIMARY KEY, n int); INSERT INTO items SELECT g, g FROM generate_series(1, 20) g;
CREATE TABLE parts (id int PRIMARY KEY, item int REFERENCES items ON DELETE CASCADE); INSERT INTO parts SELECT g, g FROM generate_series(1, 9) g;
CREATE TABLE loose (n int); INSERT INTO loose VALUES (1), (1);
CREATE FUNCTION log_item() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.loose VALUES (NEW.n); RETURN NULL; END';
CREATE TRIGGER log AFTER UPDATE ON items FOR EACH ROW WHEN (NEW.n > 100) EXECUTE FUNCTION log_item();
`;
const statements = [
  'UPDATE items SET n = n + 1 WHERE id = 1',
  'UPDATE items SET n = n + 1 WHERE id < 4',
  'UPDATE items SET n = n + 200 WHERE id < 3',
  'INSERT INTO items SELECT max(id) + g, 1 FROM items CROSS JOIN generate_series(1, 2) g GROUP BY g',
  'DELETE FROM items WHERE id = 2',
  'DELETE FROM items WHERE id > 17',
  'DELETE FROM loose',
  'UPDATE parts SET item = 9 WHERE id < 3',
  'UPDATE items SET n = 0 WHERE id = 99',
];
const cases = drawn(25, 'STATEMENTS');
const first = firstSeed();

suite('rest: budgets while staging', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens });
    await rest.database.query(schema);
  });
  test.after(() => rest.stop());

  const as = (name: string, json: object = {}, headers = {}): Sent => ({
    headers: { authorization: `Bearer ${name}`, ...headers },
    json,
  });
  const set = async (budget: object, more = {}) => {
    const rules = [{ name: 'daily', budget: { rows_per_day: 5, ...budget }, ...more }];
    const sent = as('root', { document: { rules } }, { 'if-match': '*' });
    const { status, body } = await rest.call('PUT', '/policy', sent);
    assert.is(status, 200, JSON.stringify(body));
  };
  const open = async (by: string, project = 'default') => {
    const { body } = await rest.call('POST', '/sessions', as(by, { project_id: project }));
    return String(body.session_id);
  };
  const staged = (id: string, statement: string) =>
    rest.write(id, statement).then(
      () => null,
      (error: pg.DatabaseError) => error,
    );
  const propose = async (id: string, by: string) =>
    (await rest.call('POST', `/sessions/${id}/propose`, as(by))).status;
  const verdicts = async (id: string) =>
    (await rest.call('GET', `/sessions/${id}/policy`, as('root'))).body.verdicts;

  test('the error names rule, limit and next step, and nothing of the statement is staged', async () => {
    await set({});
    const early = await open('bot');
    assert.is(await staged(early, 'UPDATE items SET n = n + 1 WHERE id < 4'), null);
    assert.is(await propose(early, 'bot'), 200);
    const id = await open('second');
    const refused = await staged(id, 'DELETE FROM items WHERE id = 2 OR id = 3');
    const says =
      'at most 5 rows a day by bot (UTC): 3 were proposed today, and this session would have 4';
    assert.is(refused?.message, `the policy does not allow it: rule "daily": ${says}`);
    assert.equal(
      [refused?.code, refused?.schema, refused?.table, refused?.constraint],
      ['54000', 'stage', 'policy', 'daily'],
    );
    assert.match(refused?.detail ?? '', /^limit budget, version \d+ of the policy$/);
    assert.match(refused?.hint ?? '', /go on tomorrow/);
    const [{ holds, says: reported }] = await verdicts(id);
    assert.equal([holds, reported], [true, says.replace('would have 4', 'has 0')]);
    assert.is(await staged(id, 'DELETE FROM items WHERE id = 2'), null);
    assert.is((await staged(id, 'DELETE FROM loose'))?.code, '54000');
    assert.is(await staged(id, 'DELETE FROM items WHERE id = 99'), null);
    assert.is(await propose(id, 'second'), 200);
  });

  const many = 'UPDATE items SET n = n + 1 WHERE id < 9';

  test('whoever has no budget is not refused', async () => {
    await set({ of: ['BEA'], rows_per_day: 1 });
    assert.is(await staged(await open('bot'), many), null);
    await set({ rows_per_day: 1 }, { projects: ['default'] });
    assert.is(await staged(await open('bot', 'other'), many), null);
  });

  test('whoever is named has one, in the projects of the rule', async () => {
    await set({ of: ['BEA'], rows_per_day: 1 });
    assert.is((await staged(await open('bea'), many))?.code, '54000');
    await set({ rows_per_day: 1 }, { projects: ['default'] });
    assert.is((await staged(await open('bot'), many))?.code, '54000');
  });

  /** Stages statements up to the first refusal. Returns how many were not refused. */
  const countOf = async (id: string, chosen: readonly string[]) => {
    for (const [index, statement] of chosen.entries()) {
      const error = await staged(id, statement);
      if (error === null) continue;
      assert.is(error.table, 'policy', error.message);
      return index;
    }
    return chosen.length;
  };

  /** Draws what was proposed before, and a budget. */
  const drawBudget = async ({ below, pick, chance }: Random) => {
    await rest.database.query('DELETE FROM stage.proposed_rows');
    for (let row = below(3); row > 0; row -= 1)
      await rest.database.query(`INSERT INTO stage.proposed_rows (session, round, person, project_id, row_count, at)
        SELECT gen_random_uuid(), 1, '${pick(['bot', 'bea'])}', '${pick(projects)}', ${below(4)},
          now() - interval '${pick([0, 5, 11, 30])} hours'`);
    const zone = chance(0.5) ? { zone: pick(['UTC', 'Asia/Tokyo', 'America/Lima']) } : {};
    const of = chance(0.3) ? { of: [pick(['bot', 'BEA'])] } : {};
    const rows = { rows_per_day: 1 + below(9) };
    await set({ ...rows, ...zone, ...of }, chance(0.3) ? { projects: ['default'] } : {});
  };

  /** Stages statements without a policy. Returns how many a session could be proposed with. */
  const allowedCount = async (id: string, chosen: readonly string[]) => {
    for (const [index, statement] of chosen.entries()) {
      assert.is(await beforePolicy(rest.database, () => staged(id, statement)), null);
      const broken = (await verdicts(id)).some(
        ({ holds, says }: { holds: boolean; says: string }) => !holds && !says.endsWith('has 0'),
      );
      if (broken) return index;
    }
    return chosen.length;
  };

  test(
    'a statement is refused exactly where its session could not be proposed',
    async () => {
      let refused = 0;
      for (let seed = first; seed < first + cases; seed += 1) {
        const random = createRandom(seed);
        await drawBudget(random);
        const [author, project] = [random.pick(authors), random.pick(projects)];
        const chosen = [1, 2, 3].map(() => random.pick(statements));
        const allowed = await allowedCount(await open(author, project), chosen);
        const label = `seed ${seed}: ${author} ${project} ${chosen.join('; ')}`;
        assert.is(await countOf(await open(author, project), chosen), allowed, label);
        if (allowed < chosen.length) refused += 1;
      }
      assert.ok(refused > cases / 5 && refused < cases, `${refused}`);
    },
    { timeout: 3_600_000 },
  );
});
