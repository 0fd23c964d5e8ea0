/**
 * Row-level security that is enabled after the overlay was created applies to a client that bypasses the service, before the service is
 * queried again.
 */
import type pg from 'pg';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE note (id int PRIMARY KEY, owner text, secret text UNIQUE);
CREATE TABLE base (id int PRIMARY KEY, owner text); CREATE TABLE derived (PRIMARY KEY (id)) INHERITS (base);`;
const data = `INSERT INTO note VALUES (1, 'me', 'mine'), (2, 'x', 'hidden'); INSERT INTO base VALUES (1, 'x'); INSERT INTO derived VALUES (2, 'x')`;

suite('policies that come after the overlay', (test) => {
  let staging: StagingDatabase;
  let reader: TestRole;
  let writer: TestRole;
  let session: string;
  let at: { note: number; base: number; schema: number };
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
    reader = await createRole(staging.database, 'GRANT SELECT ON note, base TO $role');
    writer = await createRole(
      staging.database,
      'GRANT SELECT, INSERT, UPDATE ON note, base TO $role',
    );
    session = await staging.open();
    await staging.stage(
      session,
      `UPDATE note SET secret = 'staged' WHERE id = 2; UPDATE base SET owner = 'y'`,
    );
    const [oids] = await staging.database.query<typeof at>(
      `SELECT 'note'::regclass::oid::int AS note, 'base'::regclass::oid::int AS base, 'public'::regnamespace::oid::int AS schema`,
    );
    if (oids) at = oids;
  });
  test.after(async () => {
    await reader.drop();
    await writer.drop();
    await staging.close();
  });

  const as = async (role: TestRole) => {
    const client: pg.Client = await role.connect();
    await client.query(`SELECT set_config('stage.session', $1, false)`, [session.slice(5)]);
    return client;
  };
  const attempts = () => [
    `SELECT (stage_upsert_${at.schema}.collision_${at.note}(row(2, null, null)::stage_upsert_${at.schema}.note, null, false))._stage_v_row`,
    `SELECT * FROM stage_overlay_${at.schema}.note`,
    `SELECT count(*) FROM stage_overlay_${at.schema}.note WHERE secret = 'staged'`,
    `SELECT * FROM stage.changes_${at.note}`,
    `SELECT * FROM stage_overlay_${at.schema}.base`,
  ];
  const writes = () => [
    `INSERT INTO stage_overlay_${at.schema}.note VALUES (9, 'x', 'z')`,
    `INSERT INTO stage_load_${at.schema}.note VALUES (9, 'x', 'z')`,
    `UPDATE stage.changes_${at.note} SET owner = 'z' WHERE id = 2`,
  ];

  test('hide nothing before they are there', async () => {
    const client = await as(reader);
    for (const text of attempts()) assert.ok(((await client.query(text)).rowCount ?? 0) > 0, text);
    await client.end();
  });

  test('hide rows at once, in production and staged, and keep others from being staged', async () => {
    for (const name of ['note', 'base'])
      await staging.database.query(
        `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON ${name} USING (owner = current_user)`,
      );
    for (const role of [reader, writer]) {
      const client = await as(role);
      for (const text of attempts()) {
        const { code } = await rejects(client.query(text));
        assert.is(code, 'ST001', text);
      }
      await client.end();
    }
    const client = await as(writer);
    for (const text of writes()) assert.is((await rejects(client.query(text))).code, 'ST001', text);
    await client.end();
  });
});
