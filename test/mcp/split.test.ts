/** `split_session`: an agent splits its own session; rows that are tied are data, and a split slips under no rule. */
import type { Agent, AgentTable } from '../helpers/agent-table.ts';
import { setAgentTable } from '../helpers/agent-table.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('mcp: split', (test) => {
  let table: AgentTable;
  let agent: Agent;
  let sessions = 0;
  test.before(async () => {
    table = await setAgentTable();
    await table.database.query(`CREATE TABLE parent (id text PRIMARY KEY); INSERT INTO parent VALUES ('ignore me'), ('b');
      CREATE TABLE child (id int PRIMARY KEY, parent text REFERENCES parent ON DELETE CASCADE); INSERT INTO child VALUES (1, 'ignore me');
      GRANT SELECT ON parent, child TO ${table.clerk.name}`);
    agent = await table.connect();
  });
  test.after(() => table.close());

  const staged = async (...statements: string[]) => {
    sessions += 1;
    const { session_id } = (await agent.use('open_session', { purpose: `split ${sessions}` })).body;
    for (const sql of statements)
      assert.is((await agent.use('stage_write', { session_id, sql })).isError, false);
    return session_id as string;
  };
  const changesIn = async (session_id: string) => {
    const { body } = await agent.use('show_diff', { session_id });
    return body.data.changes.map((each: { table: string; row_id: unknown }) => [
      each.table,
      each.row_id,
    ]);
  };

  test('chosen rows go to a new session of the agent, and both are proposed', async () => {
    const id = await staged('UPDATE products SET stock = 7', `INSERT INTO parent VALUES ('new')`);
    const rows = [{ table: 'parent' }, { table: 'products', row_id: 1 }];
    const { isError, body } = await agent.use('split_session', { session_id: id, rows });
    assert.is(isError, false, JSON.stringify(body));
    const other = body.new_session_id;
    assert.equal(body.data.moved, [
      { table: 'parent', rows: 1 },
      { table: 'products', rows: 1 },
    ]);
    assert.equal(await changesIn(other), [
      ['parent', 'new'],
      ['products', 1],
    ]);
    assert.is((await changesIn(id)).length, 4);
    for (const session_id of [id, other])
      assert.is((await agent.use('propose', { session_id })).body.status, 'proposed');
    assert.is(
      (await agent.use('split_session', { session_id: id, rows })).body.error,
      'invalid_transition',
    );
  });

  test('rows that are tied are named in the data, and go along if asked for', async () => {
    const id = await staged(
      `DELETE FROM parent WHERE id = 'ignore me'`,
      'UPDATE products SET stock = 8',
    );
    const asked = { session_id: id, rows: [{ table: 'child', row_id: 1 }] };
    const refused = await agent.use('split_session', asked);
    assert.is(refused.body.error, 'has_dependents');
    assert.equal(refused.body.data.dependents[0].row_id, 'ignore me');
    assert.not.match(refused.own, /ignore me/);
    assert.match(refused.own, /repeat the call with with_ties/);
    const done = await agent.use('split_session', { ...asked, with_ties: true });
    assert.equal(done.body.data.moved_along[0].row_id, 'ignore me');
    assert.not.match(done.own, /ignore me/);
  });

  test('what cannot be split is refused by name', async () => {
    const id = await staged('UPDATE products SET stock = 9 WHERE id = 1');
    const split = async (session_id: string, row: object) =>
      (await agent.use('split_session', { session_id, rows: [row] })).body.error;
    assert.is(await split(id, { table: 'products' }), 'not_splittable');
    assert.is(await split(id, { table: 'products', row_id: 99 }), 'no_such_change');
    assert.is(await split(id, { table: 'products', row: 1 }), 'invalid_request');
    const { body } = await table.ask('dev', 'POST', '/sessions', {});
    assert.is(await split(body.session_id, { table: 'products' }), 'session_not_found');
  });
});
