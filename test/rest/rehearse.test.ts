/** Rehearsal over REST: the response, and whose sessions each token may rehearse. */
import { rehearsal } from '../../src/rest/schemas/rehearsal.ts';
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'ben', role: 'author' }),
  testToken({ name: 'bot', role: 'agent' }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'far', role: 'reviewer', projects: ['other'] }),
  testToken({ name: 'root', role: 'operator' }),
];

const as = (name: string, json?: object): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  ...(json === undefined ? {} : { json }),
});

function wanted(name: string, allowed: readonly string[], unseeing: readonly string[]): number {
  if (unseeing.includes(name)) return 404;
  return allowed.includes(name) ? 200 : 403;
}

for (const access of ['off', 'reviewers', 'authors'] as const) {
  suite(`rest: rehearsal for ${access}`, (test) => {
    let rest: TestRest;
    test.before(async () => {
      rest = await startTestRest({ tokens, rehearsal: access });
    });
    test.after(() => rest.stop());

    /** Which tokens may rehearse a session of ben's, and which one of bot's. */
    const allowed = {
      off: { ben: [], bot: [] },
      reviewers: { ben: ['ann', 'root'], bot: ['ann', 'root'] },
      authors: { ben: ['ben', 'ann', 'root'], bot: ['bot', 'ann', 'root'] },
    }[access] as Record<string, readonly string[]>;

    for (const [author, names] of Object.entries(allowed)) {
      test(`of a session of ${author}'s is had by ${names.join(', ') || 'nobody'}`, async () => {
        const { id } = (await rest.call('POST', '/sessions', as(author, {}))).body;
        await rest.write(id, 'UPDATE products SET stock = stock + 1 WHERE id = 1');
        const unseeing = author === 'bot' ? ['far'] : ['far', 'bot'];
        for (const name of ['ben', 'bot', 'ann', 'far', 'root']) {
          const { status, body } = await rest.call('POST', `/sessions/${id}/rehearse`, as(name));
          assert.is(status, wanted(name, names, unseeing), name);
          if (status === 403) assert.match(body.hint, /configur/);
        }
      });
    }
  });
}

suite('rest: the answer to a rehearsal', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens });
    await rest.database.query(`
      CREATE TABLE log (id serial PRIMARY KEY, sku text);
      CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log (sku) VALUES (NEW.sku); RETURN NULL; END $$;
      CREATE TRIGGER log AFTER UPDATE ON products FOR EACH ROW EXECUTE FUNCTION log()`);
  });
  test.after(() => rest.stop());

  const staged = async (statement: string) => {
    const { id } = (await rest.call('POST', '/sessions', as('root', {}))).body;
    await rest.write(id, statement);
    return id;
  };
  const rehearse = (id: string) => rest.call('POST', `/sessions/${id}/rehearse`, as('ann'));

  test('is what its schema says', async () => {
    const id = await staged('UPDATE products SET stock = stock + 1 WHERE id = 1');
    const { body } = await rehearse(id);
    assert.equal(rehearsal.parse(body), body);
    assert.equal(
      [body.ok, body.would_land, body.differs],
      [true, [{ table: 'products', inserts: 0, updates: 1, deletes: 0 }], []],
    );
    const [log, ...others] = body.side_effects;
    assert.equal([log.table, log.inserts, log.scanned, others], ['log', 1, true, []]);
    assert.is(log.changes[0].after.sku, 'MUG-01');
    const diff = (await rest.call('GET', `/sessions/${id}/diff`, as('ann'))).body;
    assert.is(body.digest, diff.digest);
    const audit = (await rest.call('GET', '/audit?project_id=default', as('ann'))).body;
    assert.is(audit.total_count, 0);
  });

  test('of what is refused or in conflict says so', async () => {
    const refused = await staged('UPDATE products SET stock = 3 WHERE id = 2');
    await rest.database.query(
      'ALTER TABLE products ADD CONSTRAINT no CHECK (stock <> 3) NOT VALID',
    );
    const { body } = await rehearse(refused);
    await rest.database.query('ALTER TABLE products DROP CONSTRAINT no');
    assert.equal(rehearsal.parse(body), body);
    assert.equal([body.ok, body.failure.constraint, body.failure.row], [false, 'no', 2]);
    await rest.database.query('UPDATE products SET stock = 77 WHERE id = 2');
    const conflicting = await rehearse(refused);
    assert.equal(rehearsal.parse(conflicting.body), conflicting.body);
    assert.equal([conflicting.body.ok, conflicting.body.conflicts.length], [false, 1]);
  });

  test('is 409 for a decided session', async () => {
    const id = await staged('UPDATE products SET stock = 5 WHERE id = 3');
    await rest.call('POST', `/sessions/${id}/propose`, as('root'));
    assert.is((await rehearse(id)).status, 200);
    await rest.call('POST', `/sessions/${id}/reject`, as('ann', {}));
    const { status, body } = await rehearse(id);
    assert.equal([status, body.error, body.status], [409, 'invalid_transition', 'rejected']);
  });
});
