import { sessionOf } from '../daemon.ts';
import type { Scene } from './scene.ts';
import { ask, count, least, print, query } from './scene.ts';

const open = count('BENCH_OPEN', 1_000);
const each = 10;

/** Makes a session whose rows are then copied to others, as the proxy staged them. */
async function copyTo(server: string, id: string): Promise<void> {
  const uuid = id.slice(5);
  await query(
    server,
    `INSERT INTO stage.session (id, project_id, metadata, reads, conflict_scope, status, proposed_at, sealed, mutation_count, round)
     SELECT md5('o' || g)::uuid, 'default', '{}', 'production', 'row', 'proposed', now(), 1, 0, 1 FROM generate_series(1, ${open}) g;
     DO $$
     DECLARE v_shadow text := 'stage_data.shadow_' || 'shared'::regclass::oid;
       v_columns text := (SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
         WHERE attrelid = v_shadow::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('_stage_session', '_stage_seq'));
     BEGIN
       EXECUTE format('INSERT INTO %s (_stage_session, %s) SELECT md5(''o'' || g)::uuid, %s FROM generate_series(1, ${open}) g
         JOIN %s s ON s._stage_session = %L AND s.id / ${each} = g %% 100', v_shadow, v_columns, v_columns, v_shadow, '${uuid}');
     END $$;
     ANALYZE`,
  );
}

/** Returns the least time of the search for overlaps, in the database. */
async function searchTime(server: string): Promise<string> {
  const { rows } = await query(
    server,
    "SELECT min(min_exec_time) AS ms FROM pg_stat_statements WHERE query ~ 'OVER \\(\\) AS sessions'",
  );
  return `${Number(rows[0].ms).toFixed(0)} ms`;
}

/** Measures the search for the sessions that change the same rows as one session, of `BENCH_OPEN` open ones that change ten rows each. */
export async function overlaps(scene: Scene): Promise<void> {
  const { server, daemon } = scene;
  await query(
    server,
    `CREATE EXTENSION IF NOT EXISTS pg_stat_statements; CREATE TABLE shared (id int PRIMARY KEY, v text); INSERT INTO shared SELECT g, 'v' FROM generate_series(0, 999) g; ANALYZE shared`,
  );
  const [all, ten] = [await daemon.newSession('production'), await daemon.newSession('production')];
  await query(all, "UPDATE shared SET v = 'all'");
  await copyTo(server, sessionOf(all));
  await query(ten, "UPDATE shared SET v = 'ten' WHERE id < 10");
  for (const [name, url] of Object.entries({ ten, all })) {
    const card = () => ask(scene, 'GET', `/sessions/${sessionOf(url)}/card`);
    const { flags, overlaps: named } = JSON.parse(await card());
    await query(server, 'SELECT pg_stat_statements_reset()');
    const flag = flags.find(({ code }: { code: string }) => code === 'overlap');
    print(
      `brief of a session that changes ${name === 'ten' ? 'ten' : 'a thousand'} rows, ${open} open sessions`,
      `${await least(card)}, of which the search takes ${await searchTime(server)}; ${flag.count} overlap, ${named.length} are named`,
    );
  }
  for (const url of [all, ten]) await ask(scene, 'DELETE', `/sessions/${sessionOf(url)}`);
  await query(
    server,
    "DELETE FROM stage.session WHERE id IN (SELECT md5('o' || g)::uuid FROM generate_series(1, 1000000) g)",
  );
}
