/** An independent reader of the WAL sees no change of production before approval, and exactly the approved ones after it. */
import { assert, suite } from '../helpers/suite.ts';
import { q, run, runScript, s } from '../helpers/wire-script.ts';
import type { AttackedDatabase } from './attacked-database.ts';
import { startAttacked } from './attacked-database.ts';
import { attempts } from './attempts.ts';

suite('the log of changes', (test) => {
  let attacked: AttackedDatabase;
  let slot: string;
  test.before(async () => {
    attacked = await startAttacked();
    slot = `${attacked.database.name}_slot`;
    await attacked.database.query(
      `SELECT pg_create_logical_replication_slot('${slot}', 'test_decoding')`,
    );
  });
  test.after(async () => {
    await attacked.database.query(`SELECT pg_drop_replication_slot('${slot}')`);
    await attacked.stop();
  });

  /** Returns the row changes since the last call; those of the service's own tables separately. */
  async function changes(): Promise<{ production: string[]; staging: string[] }> {
    // Only flushed records are decoded.
    await attacked.database.query(
      `BEGIN; SET LOCAL synchronous_commit = on; SELECT pg_logical_emit_message(true, 'flush', ''); COMMIT`,
    );
    const lines = await attacked.database.query<{ data: string }>(
      `SELECT data FROM pg_logical_slot_get_changes('${slot}', NULL, NULL, 'skip-empty-xacts', '1') WHERE data LIKE 'table %'`,
    );
    const all = lines.map(({ data }) => data);
    const isStaging = (line: string) => /^table stage(_data)?\./.test(line);
    return {
      production: all.filter((line) => !isStaging(line)),
      staging: all.filter(isStaging),
    };
  }

  test(
    'no attempt changes a row of production',
    async () => {
      for (const role of ['superuser', 'owner', 'reader'] as const) {
        for (const statements of Object.values(attempts)) {
          const url = await attacked.session(role, 'production');
          const messages = statements.flatMap((text) => [q(text), run(text), s]);
          await runScript(url, [...messages, s, q('ROLLBACK')]);
        }
        const { production, staging } = await changes();
        assert.equal(production, [], role);
        assert.ok(staging.length > 50, 'the reader does see what is staged');
      }
    },
    { timeout: 240_000 },
  );

  test('approval changes the reviewed rows, and no others', async () => {
    const { daemon } = attacked;
    const session = await daemon.newSession();
    await runScript(daemon.clientUrl(session), [
      q(`UPDATE item SET name = 'renamed' WHERE id = 1; DELETE FROM item WHERE id = 2`),
      q(`INSERT INTO item VALUES (9, 'nine', 9), (8, 'eight', 8); DELETE FROM item WHERE id = 8`),
    ]);
    await daemon.call('POST', `/sessions/${session}/propose`);
    assert.equal((await changes()).production, []);
    assert.is((await daemon.call('POST', `/sessions/${session}/approve`)).status, 200);
    const { production } = await changes();
    const row = (id: number, name: string, price: number) =>
      `id[integer]:${id} name[text]:'${name}' price[numeric]:${price}`;
    assert.equal(production, [
      `table public.item: UPDATE: ${row(1, 'renamed', 1)}`,
      'table public.item: DELETE: id[integer]:2',
      `table public.item: INSERT: ${row(9, 'nine', 9)}`,
      `table public.item: INSERT: ${row(8, 'eight', 8)}`,
      'table public.item: DELETE: id[integer]:8',
    ]);
  });

  test('a write past the proxy is seen', async () => {
    await attacked.database.query('SELECT evil()');
    assert.equal((await changes()).production, ['table public.victim: INSERT: id[integer]:1']);
  });
});
