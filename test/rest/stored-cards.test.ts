/** Stored cards: one for each proposal, which stays as it was but for what is known now, and is not shown as the card of anything else. */
import { readRound } from '../../src/review/brief/brief.ts';
import { storeCard } from '../../src/review/brief/card-store.ts';
import { createCardMaker } from '../../src/review/brief/make-card.ts';
import type { Answer, Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'bot', role: 'agent' }),
  testToken({ name: 'dev', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
];
const as = (name: string, json?: object): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  ...(json === undefined ? {} : { json }),
});
const sensitiveColumns = ['products.stock'];

suite('rest: stored cards', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens, sensitiveColumns });
  });
  test.after(() => rest.stop());

  const makeCards = async (columns = sensitiveColumns) => {
    const maker = createCardMaker(rest.db, rest.db, columns);
    while (await maker.next());
  };
  const staged = async (statement: string, name = 'dev'): Promise<string> => {
    const { id } = (await rest.call('POST', '/sessions', as(name, {}))).body;
    await rest.write(id, statement);
    return id;
  };
  const act = (id: string, what: string, name: string, json: object = {}) =>
    rest.call('POST', `/sessions/${id}/${what}`, as(name, json));
  const cardOf = (id: string, name = 'ann', query = '') =>
    rest.call('GET', `/sessions/${id}/card${query}`, as(name));
  const listed = async (id: string, name = 'ann') => {
    const { body } = await rest.call('GET', '/sessions?card=true', as(name));
    return body.sessions.find((session: { id: string }) => session.id === id).card;
  };
  const updates = ({ body }: Answer) => body.tables[0].updates;

  test('are of the proposal as it was, whatever happens to production since', async () => {
    const id = await staged("UPDATE products SET stock = 999, name = 'new one' WHERE id = 1");
    await act(id, 'propose', 'dev');
    assert.is(await listed(id), null);
    const live = await cardOf(id);
    assert.equal([live.body.made_at, live.body.digest, live.body.round], [null, null, 1]);
    await makeCards();
    await rest.database.query(
      "INSERT INTO products (sku, name, price) SELECT 'n' || g, 'new one', 1 FROM generate_series(1, 50) g",
    );
    const { body } = await cardOf(id);
    const { digest } = (await rest.call('GET', `/sessions/${id}/diff?limit=0`, as('ann'))).body;
    assert.equal([body.round, body.digest], [1, digest]);
    assert.match(body.made_at, /^\d{4}-/);
    for (const member of ['revision', 'tables', 'flags', 'overlaps'])
      assert.equal(body[member], live.body[member], member);
    assert.equal(await listed(id), body);
    await act(id, 'approve', 'ann', { digest });
    assert.equal((await listed(id)).tables, body.tables);
    assert.is((await cardOf(id)).body.made_at, null);
    assert.equal((await cardOf(id, 'ann', '?round=1')).body.tables, body.tables);
  });

  test('are of one round each; a card of another one is not shown', async () => {
    const id = await staged('UPDATE products SET stock = 1 WHERE id = 1');
    await act(id, 'propose', 'dev');
    await makeCards();
    await act(id, 'reopen', 'ann', { message: 'more' });
    assert.is(await listed(id), null);
    assert.is((await cardOf(id)).body.made_at, null);
    await rest.write(id, 'UPDATE products SET stock = 1 WHERE id = 2');
    await act(id, 'propose', 'dev');
    assert.is(await listed(id), null);
    assert.is(updates(await cardOf(id)), 2);
    await makeCards();
    assert.equal([(await listed(id)).round, updates(await cardOf(id))], [2, 2]);
    assert.is(updates(await cardOf(id, 'ann', '?round=1')), 1);
    await act(id, 'reopen', 'ann', { message: 'nothing, after all' });
    await act(id, 'propose', 'dev');
    assert.is(await listed(id), null);
    assert.is((await cardOf(id, 'ann', '?round=3')).status, 404);
    assert.is((await cardOf(id, 'ann', '?round=0')).status, 400);
  });

  test('are no card of other rows, nor of another configuration', async () => {
    const id = await staged('UPDATE products SET stock = 2 WHERE id = 1');
    await act(id, 'propose', 'dev');
    await makeCards([]);
    assert.is(await listed(id), null);
    const codes = (await cardOf(id)).body.flags.map(({ code }: { code: string }) => code);
    assert.ok(codes.includes('sensitive_column'), codes.join());
    const set = (assignment: string) =>
      rest.database.query(`UPDATE stage.card SET ${assignment} WHERE session = '${id.slice(5)}'`);
    await set(`sensitive = '["products.stock"]'`);
    assert.ok(await listed(id));
    for (const column of ['edits', 'mutations']) {
      await set(`${column} = ${column} + 1`);
      assert.is(await listed(id), null, column);
      assert.is((await cardOf(id)).body.made_at, null, column);
      await set(`${column} = ${column} - 1`);
    }
    assert.ok(await listed(id));
  });

  test('stay as they were when a maker comes again, and are not stored once the proposal is over', async () => {
    const id = await staged("UPDATE products SET name = 'unheard of' WHERE id = 1");
    await act(id, 'propose', 'dev');
    await makeCards();
    const before = await listed(id);
    assert.match(JSON.stringify(before.tables), /new_values/);
    await rest.database.query(
      `UPDATE stage.card SET digest = NULL WHERE session = '${id.slice(5)}'`,
    );
    await rest.database.query(
      "INSERT INTO products (sku, name, price) SELECT 'x' || g, 'unheard of', 1 FROM generate_series(1, 500) g",
    );
    await makeCards();
    assert.equal(await listed(id), before);
  });

  test('go with what a rejection discards', async () => {
    const id = await staged("UPDATE products SET name = 'secret' WHERE id = 1");
    await act(id, 'propose', 'dev');
    await makeCards();
    const { brief } = await readRound(rest.db, id, {
      readableOnly: false,
      ownOnly: false,
      sensitiveColumns,
    });
    assert.is((await act(id, 'reject', 'ann', {})).status, 200);
    assert.is((await cardOf(id, 'ann', '?round=1')).status, 404);
    const proposal = { id, round: 1, edits: 0, mutationCount: 1 };
    await storeCard(rest.db, proposal, brief, sensitiveColumns);
    const [left] = await rest.database.query<{ count: string }>(
      `SELECT count(*) FROM stage.card WHERE session = '${id.slice(5)}'`,
    );
    assert.is(left?.count, '0');
    const deleted = await staged('UPDATE products SET stock = 4 WHERE id = 1');
    await act(deleted, 'propose', 'dev');
    await makeCards();
    assert.is((await rest.call('DELETE', `/sessions/${deleted}`, as('dev'))).status, 200);
  });

  test('tell authors and agents counts only, and overlaps of now to reviewers', async () => {
    const change = "UPDATE products SET stock = 5, name = 'hush' WHERE id = 3";
    const [mine, other] = [await staged(change, 'bot'), await staged(change)];
    await act(mine, 'propose', 'bot');
    await makeCards();
    const reported = JSON.stringify(await listed(mine, 'bot'));
    assert.not.match(reported, /hush|stock|beyond|sensitive/);
    assert.not.ok(reported.includes(other));
    assert.equal((await listed(mine, 'bot')).tables[0].updates, 1);
    assert.not.match((await cardOf(mine, 'bot', '?round=1')).text, /hush|stock/);
    const overlaps = async () => {
      const { overlaps: found, flags } = (await cardOf(mine)).body;
      return [
        found.map(({ session_id }: { session_id: string }) => session_id),
        flags.some(({ code }: { code: string }) => code === 'overlap'),
      ];
    };
    assert.equal(await overlaps(), [[other], true]);
    await rest.call('DELETE', `/sessions/${other}`, as('dev'));
    assert.equal(await overlaps(), [[], false]);
  });

  test('have flags of what is known now: conflicts that somebody found, and whether it was rehearsed', async () => {
    const id = await staged('UPDATE products SET stock = 7 WHERE id = 4');
    await rest.write(id, 'DELETE FROM order_items WHERE product_id = 5');
    await act(id, 'propose', 'dev');
    const live = await cardOf(id);
    await makeCards();
    const flags = ({ flags: list }: { flags: { code: string }[] }) => list.map(({ code }) => code);
    const demand = async (first: string | null, last: string | null) => {
      const { body } = await cardOf(id);
      assert.equal(body, await listed(id));
      const plain = flags(live.body).filter((code) => code !== 'never_rehearsed');
      const known = (codes: string[]) => [
        ...(first === null ? [] : [first]),
        ...codes,
        ...(last === null ? [] : [last]),
      ];
      assert.equal(flags(body), known(plain));
      assert.equal(flags(await listed(id, 'dev')), known(['deletes']));
      assert.not.match((await cardOf(id, 'ann', '?round=1')).text, /never_rehearsed|conflict/);
    };
    assert.is(flags(live.body).at(-1), 'never_rehearsed');
    await demand(null, 'never_rehearsed');
    await rest.database.query('UPDATE products SET price = price + 1 WHERE id = 4');
    await act(id, 'rehearse', 'ann');
    await demand('conflict', 'never_rehearsed');
    await rest.database.query('UPDATE products SET price = price - 1 WHERE id = 4');
    await rest.call('GET', `/sessions/${id}/conflicts`, as('dev'));
    await demand(null, 'never_rehearsed');
    const other = await startTestRest({ tokens, database: rest.database, rehearsal: 'off' });
    for (const path of [`/sessions/${id}/card`, '/sessions?card=true'])
      assert.not.match((await other.call('GET', path, as('ann'))).text, /never_rehearsed/);
    await other.stop();
    await act(id, 'rehearse', 'ann');
    await demand(null, null);
    await act(id, 'approve', 'ann');
    assert.not.match(JSON.stringify(await listed(id)), /never_rehearsed/);
  });

  test('decide nothing: an approval with the digest of a forged card is refused', async () => {
    const id = await staged('UPDATE products SET stock = 6 WHERE id = 1');
    await act(id, 'propose', 'dev');
    await makeCards();
    const forged = `sha256:${'0'.repeat(64)}`;
    await rest.database.query(
      `UPDATE stage.card SET digest = '${forged}' WHERE session = '${id.slice(5)}'`,
    );
    const { digest } = (await cardOf(id)).body;
    assert.is(digest, forged);
    assert.is((await act(id, 'approve', 'ann', { digest })).status, 412);
  });
});
