/** Settings of the application, such as the tenant of a request: production's triggers find them at approval as while staging. */
import type { JsonObject } from '../../src/model/json.ts';
import { approveStories } from '../helpers/alike.ts';
import { asking } from '../helpers/asking.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/settings-of-requests.sql');

suite('settings that triggers read', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);

  const staged = async (...texts: string[]) => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(proxied.daemon.clientUrl(id));
    for (const text of texts) await client.query(text);
    return id;
  };
  const ask = asking(() => proxied);
  const propose = (id: string) => ask('POST', `/sessions/${id}/propose`);
  const approve = async (id: string) => {
    await propose(id);
    return (await ask('POST', `/sessions/${id}/approve`))['differences'];
  };
  const signed = async (id: number) =>
    (await proxied.database.query(`SELECT by FROM signed WHERE id = ${id}`))[0]?.['by'];

  test('are found by their names in functions, defaults and checks', async () => {
    assert.equal(await proxied.database.query('SELECT stage.settings_read() AS names'), [
      {
        names: [
          'app.copier',
          'app.sealed',
          'app.second',
          'app.tenant',
          'app.user',
          'app.who',
          'audit.actor',
          'request.jwt.claims',
        ],
      },
    ]);
  });

  test('do not stay on the connection of an approval or rehearsal', async () => {
    for (let round = 0; round < 6; round += 1) {
      const id = await staged(
        `SET app.who = 'kai ${round}'`,
        `INSERT INTO signed (id) VALUES (${310 + round})`,
      );
      assert.equal((await ask('POST', `/sessions/${id}/rehearse`))['differs'], []);
      await approve(id);
      assert.is(await signed(310 + round), `kai ${round}`);
      const next = await staged(`INSERT INTO signed (id) VALUES (${320 + round})`);
      assert.is(await approve(next), undefined);
      assert.is(await signed(320 + round), 'NULL');
    }
  });

  test('are in the log', async () => {
    const id = await staged("SET app.who = 'lea'", 'INSERT INTO signed (id) VALUES (330)');
    const { mutations } = await ask('GET', `/sessions/${id}/mutations`);
    assert.equal((mutations as JsonObject[])[0]?.['settings'], { 'app.who': 'lea' });
    await ask('DELETE', `/sessions/${id}`);
  });

  test('are part of the digest', async () => {
    const id = await staged("SET app.who = 'max'", 'INSERT INTO signed (id) VALUES (331)');
    await propose(id);
    const digest = String((await ask('GET', `/sessions/${id}/diff`))['digest']);
    assert.match(digest, /^sha256:/);
    await proxied.database.query(
      `UPDATE stage.mutation SET settings = '{"app.who": "eve"}' WHERE settings ->> 'app.who' = 'max'`,
    );
    const refused = await ask('POST', `/sessions/${id}/approve`, { digest }, 412);
    assert.is(refused['error'], 'digest_mismatch');
    await ask('POST', `/sessions/${id}/reject`);
  });

  test('are never those of the server, of extensions or of the service', async () => {
    const id = await staged("SET app.who = 'nia'", 'INSERT INTO signed (id) VALUES (332)');
    await proxied.database.query(
      `UPDATE stage.mutation SET settings = settings || '{"search_path": "nowhere", "plpgsql.variable_conflict": "nonsense", "stage.session": "x", "work_mem": "?"}'
       WHERE settings ->> 'app.who' = 'nia'`,
    );
    await approve(id);
    assert.is(await signed(332), 'nia');
  });
});
