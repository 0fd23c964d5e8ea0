/** Revert where production's triggers fire while rows are staged: the row that was is staged, and the triggers are heard. */
import type { StageError } from '../../src/errors.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { revertSession } from '../../src/review/decisions/revert.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE guards (name text PRIMARY KEY, closed boolean NOT NULL);
CREATE TABLE items (id int PRIMARY KEY, price int, version int NOT NULL DEFAULT 1, at timestamptz);
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF EXISTS (SELECT FROM guards g WHERE g.name = TG_OP AND g.closed) THEN RAISE EXCEPTION 'no % by now', TG_OP; END IF;
  IF EXISTS (SELECT FROM guards g WHERE g.name = concat('no ', TG_OP) AND g.closed) THEN RETURN NULL; END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  NEW.at := clock_timestamp();
  IF TG_OP = 'UPDATE' THEN NEW.version := OLD.version + 1; END IF;
  RETURN NEW;
END $f$;
CREATE TRIGGER stamp BEFORE INSERT OR UPDATE OR DELETE ON items FOR EACH ROW EXECUTE FUNCTION stamp();
CREATE TABLE parts (id int PRIMARY KEY, item int REFERENCES items ON UPDATE CASCADE ON DELETE CASCADE, at timestamptz);
CREATE FUNCTION stamp_part() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN NEW.at := clock_timestamp(); RETURN NEW; END $f$;
CREATE TRIGGER stamp_part BEFORE INSERT OR UPDATE ON parts FOR EACH ROW EXECUTE FUNCTION stamp_part();
CREATE TABLE priced (id int PRIMARY KEY, name text, price int);
CREATE TABLE prices (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, was int);
CREATE FUNCTION log_price() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN INSERT INTO prices (was) VALUES (OLD.price); RETURN NULL; END $f$;
CREATE TRIGGER log_price AFTER UPDATE OF price ON priced FOR EACH ROW EXECUTE FUNCTION log_price();
CREATE TABLE docs (id int PRIMARY KEY, version int NOT NULL DEFAULT 0);
CREATE TABLE versions (id int, version int, PRIMARY KEY (id, version));
CREATE FUNCTION count_up() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN NEW.version := OLD.version + 1; RETURN NEW; END $f$;
CREATE TRIGGER count_up BEFORE UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION count_up();
CREATE FUNCTION keep_version() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN INSERT INTO versions VALUES (NEW.id, NEW.version); RETURN NULL; END $f$;
CREATE TRIGGER keep_version AFTER INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION keep_version();
CREATE SEQUENCE numbers START 100;
CREATE TABLE drawn (id int PRIMARY KEY, name text);
CREATE FUNCTION draw() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN NEW.id := nextval('numbers'); RETURN NEW; END $f$;
CREATE TRIGGER draw BEFORE INSERT ON drawn FOR EACH ROW EXECUTE FUNCTION draw();
CREATE TABLE history (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item int, op text, was int, price int);
CREATE FUNCTION log_item() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF TG_OP = 'DELETE' THEN INSERT INTO history (item, op, was) VALUES (OLD.id, TG_OP, OLD.price);
  ELSIF TG_OP = 'UPDATE' THEN INSERT INTO history (item, op, was, price) VALUES (NEW.id, TG_OP, OLD.price, NEW.price);
  ELSE INSERT INTO history (item, op, price) VALUES (NEW.id, TG_OP, NEW.price);
  END IF;
  RETURN NULL;
END $f$;
CREATE TRIGGER log_item AFTER INSERT OR UPDATE OR DELETE ON items FOR EACH ROW EXECUTE FUNCTION log_item();
`;
const data = `
INSERT INTO guards VALUES ('INSERT', false), ('UPDATE', false), ('DELETE', false), ('no UPDATE', false);
INSERT INTO items (id, price) VALUES (1, 10), (2, 20), (3, 30);
INSERT INTO parts (id, item) VALUES (1, 1), (2, 1), (3, 2);
INSERT INTO priced VALUES (1, 'a', 10);
INSERT INTO docs VALUES (1);
INSERT INTO drawn (name) VALUES ('a'), ('b');
INSERT INTO history (item, op) VALUES (0, 'begin');`;

suite('revert with triggers', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.beforeEach(() => staging.reset());

  async function approve(session: string) {
    await proposeSession(staging.service, session);
    return approveSession(staging.service, session, { approvedBy: null, digest: null });
  }

  async function approved(statements: string): Promise<string> {
    const session = await staging.open();
    await staging.stage(session, statements);
    await approve(session);
    return session;
  }

  const revert = async (session: string) =>
    revertSession(staging.service, session, {
      skipChanged: false,
      revertedAs: null,
      lockTimeoutMs: 5_000,
    });
  const rows = (text: string) => staging.database.query(text);
  const kept = () => rows('SELECT id, price, version FROM items ORDER BY id');
  const lines = () => rows('SELECT item, op, was, price FROM history ORDER BY id');
  /** Returns what a session changes in a table, as pairs. */
  const changesOf = async (session: string, table: string) =>
    (await diffOf(staging.service, session)).changes
      .filter((change) => change.table === table)
      .map(({ before, after }) => [before, after]);

  const stories: readonly (readonly [string, string])[] = [
    ['an UPDATE', 'UPDATE items SET price = price + 1 WHERE id < 3'],
    ['an INSERT', 'INSERT INTO items (id, price) VALUES (8, 80), (9, 90)'],
    ['a DELETE', 'DELETE FROM items WHERE id = 3'],
    ['a DELETE with a cascade', 'DELETE FROM items WHERE id = 1'],
    ['a key that children follow', 'UPDATE items SET id = 10 WHERE id = 1'],
    [
      'several statements',
      'UPDATE items SET price = 1 WHERE id = 1; DELETE FROM items WHERE id = 2; INSERT INTO items (id, price) VALUES (2, 7); UPDATE items SET price = 2 WHERE id = 1',
    ],
  ];
  for (const [name, statements] of stories) {
    test(`of ${name} stages the exact inverse, and is approved`, async () => {
      const session = await staging.open();
      await staging.stage(session, statements);
      const before = await staging.contents();
      await approve(session);
      const after = await staging.contents();
      const { session: made } = await revert(session);
      const seen = await staging.contents(made.id);
      assert.equal([seen['items'], seen['parts']], [before['items'], before['parts']]);
      // triggers write to the history again, and take nothing back there
      const logged = await changesOf(made.id, 'history');
      assert.ok(logged.length > 0 && logged.every(([was]) => was === null));
      assert.equal(seen['history']?.length, (after['history']?.length ?? 0) + logged.length);
      await approve(made.id);
      const bare = (list: readonly string[] | undefined) =>
        list?.map((row) => row.split(',').slice(0, 2).join(','));
      const now = await staging.contents();
      assert.equal(bare(now['items']), bare(before['items']));
      assert.equal(bare(now['parts']), bare(before['parts']));
      assert.equal(now['history']?.length, seen['history']?.length);
      assert.is((await verifyAudit(staging.service)).firstBad, null);
      const again = (await revert(made.id)).session.id;
      const back = await staging.contents(again);
      assert.equal([back['items'], back['parts']], [after['items'], after['parts']]);
    });
  }

  test('shows the values that triggers set again as differences', async () => {
    const session = await approved('UPDATE items SET price = 11 WHERE id = 1');
    const { session: made } = await revert(session);
    assert.equal(
      (await changesOf(made.id, 'items')).map((pair) =>
        pair.map((row) => (row as { version: number }).version),
      ),
      [[2, 1]],
    );
    const { differences } = await approve(made.id);
    const reported = JSON.parse(differences?.text ?? '{}') as { rows: Record<string, unknown>[] };
    assert.equal(
      reported.rows.map(({ field, expected }) => [field, expected]),
      [
        ['version', null],
        ['at', 'time'],
      ],
    );
    assert.equal((await kept())[0], { id: 1, price: 10, version: 3 });
    assert.equal(
      (await lines()).slice(-2).map(({ was, price }) => [was, price]),
      [
        [10, 11],
        [11, 10],
      ],
    );
  });

  for (const [name, guard, statement, message] of [
    ['a DELETE', 'DELETE', 'INSERT INTO items VALUES (9, 90)', /no DELETE by now/],
    ['an UPDATE', 'UPDATE', 'UPDATE items SET price = 11 WHERE id = 1', /no UPDATE by now/],
    ['an INSERT', 'INSERT', 'DELETE FROM items WHERE id = 3', /no INSERT by now/],
    ['a row', 'no UPDATE', 'UPDATE items SET price = 11 WHERE id = 1', /would not come back/],
  ] as const) {
    test(`is refused where a trigger refuses ${name}`, async () => {
      const session = await approved(statement);
      await rows(`UPDATE guards SET closed = true WHERE name = '${guard}'`);
      const error = await rejects<StageError>(revert(session));
      assert.equal([error.code, error.status], ['not_revertible', 409], error.message);
      assert.match(error.message, message);
    });
  }

  test('puts a row back under its key, which production may draw anew', async () => {
    const session = await approved(`DELETE FROM drawn WHERE name = 'a'`);
    const { session: made } = await revert(session);
    const [was] = await changesOf(session, 'drawn');
    assert.equal(await changesOf(made.id, 'drawn'), [[null, was?.[0]]]);
    await approve(made.id);
    const [key, now] = [
      was?.[0] as { id: number },
      await rows(`SELECT id FROM drawn WHERE name = 'a'`),
    ];
    assert.ok(Number(now[0]?.['id']) > key.id);
  });

  test('is refused where the history has an entry for the row that was', async () => {
    const session = await approved('UPDATE docs SET version = 7 WHERE id = 1');
    const error = await rejects<StageError>(revert(session));
    assert.is(error.code, 'not_revertible');
    assert.match(error.message, /versions_pkey/);
  });

  test('fires triggers of columns for those that it brings back', async () => {
    const renamed = await approved(`UPDATE priced SET name = 'b' WHERE id = 1`);
    const { session: name } = await revert(renamed);
    assert.equal(await changesOf(name.id, 'prices'), []);
    const logged = () => rows('SELECT was FROM prices ORDER BY id');
    const before = await logged();
    await approve(name.id);
    assert.equal(await logged(), before);
    const session = await approved('UPDATE priced SET price = 11 WHERE id = 1');
    const { session: price } = await revert(session);
    const [[, line] = []] = await changesOf(price.id, 'prices');
    assert.is((line as { was: number }).was, 11);
    await approve(price.id);
    assert.equal((await logged()).slice(before.length), [{ was: 10 }, { was: 11 }]);
  });

  test('does not keep triggers from setting values in other sessions', async () => {
    await revert(await approved('UPDATE items SET price = 11 WHERE id = 1'));
    const other = await staging.open();
    await staging.stage(other, 'UPDATE items SET price = 12 WHERE id = 1');
    const [[, after] = []] = await changesOf(other, 'items');
    assert.is((after as { version: number }).version, 3);
  });
});
