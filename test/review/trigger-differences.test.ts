/** Approval compares the rows that landed with the staged ones: values that triggers set differently are reported, or stop it. */
import { createDatabase } from '../../src/db/database.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { rehearseSession } from '../../src/review/rehearsal/rehearse.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { usual } from '../helpers/rehearsing.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE rates (rate numeric);
INSERT INTO rates VALUES (2);
CREATE TABLE goods (id int PRIMARY KEY, price numeric, made timestamptz, token uuid);
CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.price := NEW.price * (SELECT r.rate FROM rates r);
  IF TG_OP = 'INSERT' THEN
    NEW.made = clock_timestamp() AT TIME ZONE 'UTC';
    NEW."token" := coalesce(NEW.token, gen_random_uuid());
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER fill BEFORE INSERT OR UPDATE ON goods FOR EACH ROW EXECUTE FUNCTION fill();
CREATE TABLE merging (id int PRIMARY KEY, a text, b int);
INSERT INTO merging VALUES (1, 'A', 1);
CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.a := upper(NEW.a); RETURN NEW; END$$;
CREATE TRIGGER shout BEFORE UPDATE ON merging FOR EACH ROW EXECUTE FUNCTION shout();`;

interface Reported {
  readonly count: number;
  readonly unexpected: number;
  readonly rows: readonly {
    readonly row_id: number;
    readonly field: string;
    readonly staged: unknown;
    readonly landed: unknown;
    readonly expected: string | null;
  }[];
}

suite('differences of triggers', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema, { triggerDifferences: 'refuse' });
  });
  test.after(() => proxied.stop());

  const staged = async (texts: readonly string[], body = {}) => {
    const id = await proxied.daemon.newSession(body);
    const client = await proxied.connect(proxied.daemon.clientUrl(id));
    for (const text of texts) await client.query(text);
    await proxied.daemon.call('POST', `/sessions/${id}/propose`);
    return id;
  };
  const differencesOf = async (id: string) => {
    const { status, body } = await approve(id);
    assert.is(status, 200);
    return body['differences'];
  };
  const approve = (id: string) => proxied.daemon.call('POST', `/sessions/${id}/approve`);
  const setRate = (rate: number) => proxied.database.query(`UPDATE rates SET rate = ${rate}`);
  const fields = ({ rows }: Reported) => rows.map(({ field, expected }) => [field, expected]);

  test('that the text of a trigger explains are marked, and stop no approval', async () => {
    const id = await staged(['INSERT INTO goods (id, price) VALUES (1, 10)']);
    const { status, body, text } = await approve(id);
    assert.is(status, 200, text);
    const reported = body['differences'] as unknown as Reported;
    assert.equal(
      [reported.count, reported.unexpected, fields(reported)],
      [
        2,
        0,
        [
          ['made', 'time'],
          ['token', 'random'],
        ],
      ],
    );
    const [row] = await proxied.database.query('SELECT price, token FROM goods WHERE id = 1');
    assert.equal(row, { price: '20', token: reported.rows[1]?.landed });
    const { body: entry } = await proxied.daemon.call('GET', '/audit/aud_1');
    assert.equal(Object.keys(entry['staged'] as object).sort(), ['made', 'token']);
  });

  test('that nothing explains stop an approval where the configuration says so', async () => {
    const id = await staged(['INSERT INTO goods (id, price) VALUES (2, 10)']);
    await setRate(3);
    const { body } = await proxied.daemon.call('POST', `/sessions/${id}/rehearse`);
    assert.is(body['ok'], false);
    assert.is((body['differences'] as unknown as Reported).unexpected, 1);
    const refused = await approve(id);
    assert.equal([refused.status, refused.body.error], [409, 'trigger_differences']);
    const [first] = (refused.body['differences'] as unknown as Reported).rows;
    assert.equal(first, {
      ...{ table: 'goods', row_id: 2, field: 'price' },
      ...{ staged: 20, landed: 30, expected: null },
    });
    const query = 'SELECT price FROM goods WHERE id = 2';
    assert.is((await proxied.database.query(query)).length, 0);
    const db = createDatabase({ url: proxied.database.url });
    const { differences } = await approveSession(db, id, { approvedBy: null, digest: null });
    assert.is((JSON.parse(differences?.text ?? '{}') as Reported).unexpected, 1);
    assert.equal(await proxied.database.query(query), [{ price: '30' }]);
    const { ok } = await db.transaction((tx) => verifyAudit(tx));
    await proxied.database.query(
      `ALTER TABLE stage.audit DISABLE TRIGGER append_only; UPDATE stage.audit SET staged = '{"price": 30}' WHERE row_id = '2'`,
    );
    const { firstBad } = await db.transaction((tx) => verifyAudit(tx));
    await db.close();
    assert.equal([ok, firstBad === null], [true, false]);
    await setRate(2);
  });

  test('are none where production changed other columns, or a later statement set the same', async () => {
    const merged = await staged(['UPDATE merging SET a = $$x$$ WHERE id = 1'], {
      conflict_scope: 'column',
    });
    await proxied.database.query('UPDATE merging SET b = 2 WHERE id = 1');
    assert.is(await differencesOf(merged), undefined);
    const id = await staged([
      'INSERT INTO goods (id, price) VALUES (3, 10)',
      "UPDATE goods SET price = NULL, made = '2026-01-01', token = NULL WHERE id = 3",
    ]);
    await setRate(5);
    assert.is(await differencesOf(id), undefined);
    await setRate(2);
  });

  test('are judged when an upsert is reverted: production computes from the row that was', async () => {
    assert.is(
      (await approve(await staged(['INSERT INTO goods (id, price) VALUES (6, 10)']))).status,
      200,
    );
    const upsert = await staged([
      'INSERT INTO goods (id, price) VALUES (6, 30) ON CONFLICT (id) DO UPDATE SET price = EXCLUDED.price',
    ]);
    assert.is((await approve(upsert)).status, 200);
    const answer = await proxied.daemon.call('POST', `/sessions/${upsert}/revert`);
    assert.is(answer.status, 201, answer.text);
    const id = String(answer.body['id']);
    await proxied.daemon.call('POST', `/sessions/${id}/propose`);
    const refused = await approve(id);
    assert.equal([refused.status, refused.body.error], [409, 'trigger_differences']);
    const [first] = (refused.body['differences'] as unknown as Reported).rows;
    assert.equal([first?.field, first?.staged, first?.landed], ['price', 20, 40]);
    await setRate(1);
    assert.is((await approve(id)).status, 200);
    assert.equal(await proxied.database.query('SELECT price FROM goods WHERE id = 6'), [
      { price: '20' },
    ]);
    await setRate(2);
  });

  test('are only counted where a role that staged may not read the table', async () => {
    await proxied.database.query(`CREATE ROLE blind_${proxied.database.name} LOGIN PASSWORD 'x';
      GRANT INSERT ON goods TO blind_${proxied.database.name}; GRANT SELECT ON rates TO blind_${proxied.database.name}`);
    const id = await proxied.daemon.newSession();
    const url = proxied.daemon.clientUrl(id, `blind_${proxied.database.name}`, 'x');
    const client = await proxied.connect(url);
    await client.query('INSERT INTO goods (id, price) VALUES (4, 10)');
    const db = createDatabase({ url: proxied.database.url });
    const { triggerDifferences } = await rehearseSession(db, id, { ...usual, readableOnly: true });
    await db.close();
    await client.end();
    const reported = JSON.parse(triggerDifferences?.text ?? '{}') as Reported;
    assert.equal([reported.count, reported.rows], [2, []]);
    await proxied.database.query(
      `DROP OWNED BY blind_${proxied.database.name}; DROP ROLE blind_${proxied.database.name}`,
    );
  });
});
