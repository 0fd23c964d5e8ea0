/**
 * Approval compared with what production does by direct statements: triggers, refusals, altered tables; and its responses when it is
 * repeated.
 */
import type { StageError } from '../../src/errors.ts';
import { JsonText } from '../../src/model/json.ts';
import { getAuditEntry, listAudit } from '../../src/review/audit-store.ts';
import { findConflicts } from '../../src/review/conflicts.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { rejectSession } from '../../src/review/decisions/reject.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import { listMutations } from '../../src/staging/mutation-log.ts';
import { getSession } from '../../src/staging/session-store.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE stamped (id int PRIMARY KEY, v text, stamp text, touched int DEFAULT 0, total int DEFAULT 0);
CREATE TABLE history (id serial PRIMARY KEY, line text);
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN NEW.stamp := 'by ' || TG_OP; RETURN NEW; END $$;
CREATE TRIGGER stamp BEFORE INSERT OR UPDATE OF v ON stamped FOR EACH ROW EXECUTE FUNCTION stamp();
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO history (line) VALUES (TG_OP || ' ' || NEW.id);
  UPDATE stamped SET touched = touched + 1 WHERE id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER touch AFTER INSERT OR UPDATE OF v ON stamped FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TABLE line (id int PRIMARY KEY, stamped int, amount int);
CREATE FUNCTION add_up() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN UPDATE stamped SET total = total + NEW.amount WHERE id = NEW.stamped; RETURN NULL; END $$;
CREATE TRIGGER add_up AFTER INSERT ON line FOR EACH ROW EXECUTE FUNCTION add_up();
CREATE TABLE guarded (id bigint PRIMARY KEY, code text UNIQUE, n int CONSTRAINT small CHECK (n < 100));
CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN IF NEW.code = 'silent' THEN RETURN NULL; END IF;
  IF NEW.code = 'loud' THEN RAISE EXCEPTION 'not this one' USING DETAIL = 'because'; END IF; RETURN NEW; END $$;
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION guard();
CREATE TABLE pair (a int, b text, v int, PRIMARY KEY (a, b));
CREATE TABLE plain (id int PRIMARY KEY, v int);
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child (parent int REFERENCES parent ON UPDATE CASCADE, n int, note text, PRIMARY KEY (parent, n));`;

const data = `
INSERT INTO stamped SELECT g, 'v' FROM generate_series(1, 3) g; TRUNCATE history;
INSERT INTO guarded VALUES (1,'a',1),(2,'b',2),(9007199254740993,'c',3); INSERT INTO pair VALUES (1,'x',1); INSERT INTO plain VALUES (1,1);
INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1,1,'a'),(1,2,'b')`;

const nobody = { approvedBy: null, digest: null };
const everything = { projectId: 'test', limit: 1000, offset: 0 };

suite('approve', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.afterEach(() => staging.reset());

  async function proposed(statements: string): Promise<string> {
    const session = await staging.open();
    await staging.stage(session, statements);
    await proposeSession(staging.service, session);
    return session;
  }

  async function auditOf(session: string) {
    const { entries } = await listAudit(staging.service, { ...everything, sessionId: session });
    const parse = (json: JsonText | null) => (json === null ? null : JSON.parse(json.text));
    return entries.map((entry) => ({
      ...entry,
      oldData: parse(entry.oldData),
      newData: parse(entry.newData),
    }));
  }

  /** Approves, which must be refused and change nothing. Returns the facts of the error. */
  async function refusal(session: string): Promise<Record<string, unknown>> {
    const before = await staging.contents();
    const error = await rejects<StageError>(approveSession(staging.service, session, nobody));
    assert.equal(await staging.contents(), before);
    assert.is((await getSession(staging.service, session)).status, 'proposed');
    assert.equal(await auditOf(session), []);
    const row = error.facts['row'];
    return {
      code: error.code,
      ...error.facts,
      ...(row instanceof JsonText ? { row: JSON.parse(row.text) } : {}),
    };
  }

  test('the audit shows rows as triggers left them', async () => {
    const session = await proposed(
      `INSERT INTO stamped (id, v) VALUES (10,'n'); UPDATE stamped SET v = 'w' WHERE id <= 2; DELETE FROM stamped WHERE id = 3`,
    );
    await approveSession(staging.service, session, { approvedBy: 'kim', digest: null });
    const row = (id: number, v: string, by: string, touched: number) => ({
      id,
      v,
      stamp: `by ${by}`,
      touched,
      total: 0,
    });
    assert.equal(
      (await auditOf(session)).map(({ operation, rowId, oldData, newData }) => [
        operation,
        rowId,
        oldData,
        newData,
      ]),
      [
        ['INSERT', '10', null, row(10, 'n', 'INSERT', 1)],
        ['UPDATE', '1', row(1, 'v', 'INSERT', 1), row(1, 'w', 'UPDATE', 2)],
        ['UPDATE', '2', row(2, 'v', 'INSERT', 1), row(2, 'w', 'UPDATE', 2)],
        ['DELETE', '3', row(3, 'v', 'INSERT', 1), null],
      ],
    );
    const lines = await staging.database.query<{ line: string }>(
      'SELECT line FROM history ORDER BY id',
    );
    assert.equal(
      lines.slice(-3).map(({ line }) => line),
      ['INSERT 10', 'UPDATE 1', 'UPDATE 2'],
    );
  });

  test('a staged change leaves alone what a trigger of an earlier one did to other columns', async () => {
    const session = await proposed(
      `INSERT INTO line VALUES (1, 1, 42); UPDATE stamped SET v = 'w' WHERE id = 1; UPDATE stamped SET v = 'x' WHERE id = 1`,
    );
    await approveSession(staging.service, session, nobody);
    const [row] = await staging.database.query('SELECT v, total FROM stamped WHERE id = 1');
    assert.equal(row, { v: 'x', total: 42 });
  });

  test('what production itself cascades is audited as it was and as it became', async () => {
    const session = await staging.open('column');
    await staging.stage(session, 'UPDATE parent SET id = 5 WHERE id = 1');
    await proposeSession(staging.service, session);
    await staging.database.query(`UPDATE child SET note = 'merged' WHERE n = 2`);
    await approveSession(staging.service, session, nobody);
    assert.equal(
      (await auditOf(session)).map(({ tableName, rowId, oldData, newData }) => [
        tableName,
        rowId,
        oldData,
        newData,
      ]),
      [
        ['parent', '1', { id: 1 }, { id: 5 }],
        ['child', '1,1', { parent: 1, n: 1, note: 'a' }, { parent: 5, n: 1, note: 'a' }],
        ['child', '1,2', { parent: 1, n: 2, note: 'merged' }, { parent: 5, n: 2, note: 'merged' }],
      ],
    );
  });

  test('production refuses: the row, the constraint and the SQLSTATE are named', async () => {
    const unique = await proposed(`INSERT INTO guarded VALUES (9007199254740995,'new',1)`);
    await staging.database.query(`INSERT INTO guarded VALUES (50,'new',1)`);
    assert.equal(await refusal(unique), {
      code: 'apply_failed',
      sqlstate: '23505',
      table: 'guarded',
      constraint: 'guarded_code_key',
      row: '9007199254740995',
      detail: 'Key (code)=(new) already exists.',
    });
    const raised = await proposed(`UPDATE guarded SET code = 'loud' WHERE id = 2`);
    assert.equal(await refusal(raised), {
      code: 'apply_failed',
      sqlstate: 'P0001',
      table: 'guarded',
      constraint: null,
      row: 2,
      detail: 'because',
    });
    const composite = await proposed(`INSERT INTO pair VALUES (7,'y',1)`);
    await staging.database.query('ALTER TABLE pair ADD CONSTRAINT low CHECK (a < 5)');
    assert.equal((await refusal(composite))['row'], { a: 7, b: 'y' });
    await staging.database.query('ALTER TABLE pair DROP CONSTRAINT low');
  });

  test('production swallows a change without a word', async () => {
    const session = await proposed(`UPDATE guarded SET code = 'silent' WHERE id = 1`);
    assert.equal(await refusal(session), {
      code: 'apply_failed',
      sqlstate: 'ST003',
      table: 'guarded',
      constraint: null,
      row: 1,
      detail: 'A trigger or a rule of production suppressed a change.',
    });
  });

  test('functions of production that would fit better than PostgreSQL’s own are not run', async () => {
    const traps = [
      'to_jsonb(plain)',
      'format(text, oid)',
      'format(text, oid, text)',
      'convert_to(text, text)',
      'cardinality(stage.apply_run[])',
      'unnest(stage.apply_run[])',
    ];
    const trap = `RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$`;
    for (const signature of traps)
      await staging.database.query(`CREATE FUNCTION public.${signature} ${trap}`);
    await staging.database.query(`CREATE FUNCTION public.and_two(int2, int4) RETURNS int4 LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
      CREATE OPERATOR public.& (LEFTARG = int2, RIGHTARG = int4, FUNCTION = public.and_two)`);
    try {
      const session = await proposed(
        'UPDATE plain SET v = 2; INSERT INTO plain VALUES (7, 7), (8, 8); WITH d AS (DELETE FROM plain WHERE id = 1) INSERT INTO plain VALUES (9, 9)',
      );
      assert.is((await approveSession(staging.service, session, nobody)).status, 'approved');
    } finally {
      for (const signature of traps)
        await staging.database.query(`DROP FUNCTION public.${signature}`);
      await staging.database.query(
        'DROP OPERATOR public.& (int2, int4); DROP FUNCTION public.and_two',
      );
    }
  });

  test('a digest is what was reviewed or nothing', async () => {
    const session = await proposed('UPDATE plain SET v = 2');
    const { digest } = await diffOf(staging.service, session);
    const wrong = await rejects<StageError>(
      approveSession(staging.service, session, {
        approvedBy: null,
        digest: `sha256:${'0'.repeat(64)}`,
      }),
    );
    assert.is(wrong.code, 'digest_mismatch');
    assert.is(wrong.facts['digest'], digest);
    const approved = await approveSession(staging.service, session, { approvedBy: 'kim', digest });
    const again = await approveSession(staging.service, session, { approvedBy: 'lee', digest });
    assert.equal(again, approved, 'the same answer to a repeated question');
    assert.is(again.approvedBy, 'kim');
    assert.is((await auditOf(session)).length, 1);
    for (const other of [null, `sha256:${'0'.repeat(64)}`]) {
      const error = await rejects<StageError>(
        approveSession(staging.service, session, { approvedBy: null, digest: other }),
      );
      assert.equal([error.code, error.facts['status']], ['invalid_transition', 'approved']);
    }
  });

  test('an approved session keeps its log and count, a rejected one only its count', async () => {
    const page = { limit: 10, offset: 0 };
    const good = await proposed('UPDATE plain SET v = 2; UPDATE plain SET v = 3');
    const approved = await approveSession(staging.service, good, nobody);
    assert.equal([approved.status, approved.mutationCount], ['approved', 2]);
    assert.is((await listMutations(staging.service, good, page)).totalCount, 2);
    const bad = await proposed('UPDATE plain SET v = 9');
    const rejected = await rejectSession(staging.service, bad, 'no');
    assert.equal([rejected.status, rejected.mutationCount, rejected.reason], ['rejected', 1, 'no']);
    assert.is((await listMutations(staging.service, bad, page)).totalCount, 0);
    assert.equal((await diffOf(staging.service, bad)).changes, []);
    assert.equal(await findConflicts(staging.service, bad), []);
    assert.is(await staging.stagedRows(good, bad), 0);
  });

  test('numbers beyond 2^53, microseconds and infinity reach production and audit unchanged', async () => {
    await staging.database.query(
      `CREATE TABLE exact (id bigint PRIMARY KEY, j jsonb, n numeric, t timestamptz, f float8)`,
    );
    const exact = await createStagingDatabase(
      `CREATE TABLE exact (id bigint PRIMARY KEY, j jsonb, n numeric, t timestamptz, f float8)`,
    );
    try {
      const session = await exact.open();
      await exact.stage(
        session,
        `INSERT INTO exact VALUES (9223372036854775807, '{"a": 12345678901234567890.120}', 0.10, '2026-01-01 00:00:00.123456+00', 0.30000000000000004), (1, NULL, 'NaN', 'infinity', '-Infinity')`,
      );
      const wanted = await exact.contents(session);
      await proposeSession(exact.service, session);
      await approveSession(exact.service, session, nobody);
      assert.equal(await exact.contents(), wanted);
      const entry = await getAuditEntry(exact.service, 'aud_1');
      assert.is(entry.rowId, '9223372036854775807');
      assert.is(
        entry.newData?.text,
        `{"f": 0.30000000000000004, "j": {"a": 12345678901234567890.120}, "n": 0.10, "t": "2026-01-01T00:00:00.123456+00:00", "id": 9223372036854775807}`,
      );
      assert.ok((await verifyAudit(exact.service)).ok);
    } finally {
      await exact.close();
    }
  });
});
