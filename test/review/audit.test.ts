/** The audit: its responses, that it is append-only, and that every tampering is found where it happened. */
import { createHash } from 'node:crypto';
import type { StageError } from '../../src/errors.ts';
import { getAuditEntry, listAudit } from '../../src/review/audit-store.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `CREATE TABLE t (id int PRIMARY KEY, v text); CREATE TABLE u (id uuid PRIMARY KEY, n numeric);`;

suite('audit', (test) => {
  let staging: StagingDatabase;
  const sessions: string[] = [];
  test.before(async () => {
    staging = await createStagingDatabase(schema);
    await approved(
      `INSERT INTO t SELECT g, 'v' FROM generate_series(1, 5) g; UPDATE t SET v = v || id`,
    );
    await approved('');
    await approved(
      `DELETE FROM t WHERE id = 3; INSERT INTO u VALUES ('00000000-0000-0000-0000-00000000000a', 1.10)`,
    );
  });
  test.after(() => staging.close());

  async function approved(statements: string): Promise<void> {
    const session = await staging.open();
    sessions.push(session);
    await staging.stage(session, statements);
    await proposeSession(staging.service, session);
    await approveSession(staging.service, session, {
      approvedBy: 'kim',
      approvedAs: 'token of kim',
      digest: null,
    });
  }

  const find = async (filter: object) => {
    const page = await listAudit(staging.service, {
      projectId: 'test',
      limit: 100,
      offset: 0,
      ...filter,
    });
    return { ids: page.entries.map(({ id }) => Number(id.slice(4))), total: page.totalCount };
  };

  test('lists by every filter, oldest first, in pages', async () => {
    assert.equal(await find({}), { ids: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], total: 12 });
    assert.equal(await find({ limit: 2, offset: 3 }), { ids: [4, 5], total: 12 });
    assert.equal(await find({ offset: 50 }), { ids: [], total: 12 });
    assert.equal(await find({ projectId: 'other' }), { ids: [], total: 0 });
    assert.equal(await find({ sessionId: sessions[2] }), { ids: [11, 12], total: 2 });
    assert.equal(await find({ sessionId: 'sess_nonsense' }), { ids: [], total: 0 });
    assert.equal(await find({ tableName: 'u' }), { ids: [12], total: 1 });
    assert.equal(await find({ operation: 'DELETE' }), { ids: [11], total: 1 });
    const { approvedAt } = await getAuditEntry(staging.service, 'aud_11');
    assert.equal(await find({ since: approvedAt }), { ids: [], total: 0 });
    assert.is((await find({ until: approvedAt })).total, 10);
    assert.is((await find({ since: '2026-01-01T00:00:00+02:00', until: '2999-01-01' })).total, 12);
  });

  test('shows one entry', async () => {
    const entry = await getAuditEntry(staging.service, 'aud_12');
    const { approvedAt, newData, ...rest } = entry;
    assert.equal(rest, {
      id: 'aud_12',
      sessionId: sessions[2],
      projectId: 'test',
      tableName: 'u',
      operation: 'INSERT',
      rowId: '00000000-0000-0000-0000-00000000000a',
      oldData: null,
      approvedBy: 'kim',
      approvedAs: 'token of kim',
      splitFrom: null,
    });
    assert.is(newData?.text, '{"n": 1.10, "id": "00000000-0000-0000-0000-00000000000a"}');
    assert.match(approvedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    for (const id of ['aud_13', 'aud_0', 'aud_x', 'aud_99999999999999999999', '12']) {
      assert.is(
        (await rejects<StageError>(getAuditEntry(staging.service, id))).code,
        'audit_entry_not_found',
        id,
      );
    }
  });

  test('is append-only, also for its owner', async () => {
    const statements = ['audit', 'approval'].flatMap((table) => [
      `UPDATE stage.${table} SET approved_by = 'x'`,
      `DELETE FROM stage.${table}`,
      `TRUNCATE stage.${table}`,
    ]);
    const head = [
      `UPDATE stage.audit_head SET position = 0, approvals = approvals + 1`,
      'UPDATE stage.audit_head SET approvals = 0',
      'DELETE FROM stage.audit_head',
      'TRUNCATE stage.audit_head',
      `INSERT INTO stage.audit_head (singleton, hash) VALUES (true, sha256('x'))`,
    ];
    for (const statement of [...statements, ...head]) {
      assert.is((await rejects(staging.service.query(statement))).code, '42501', statement);
    }
    await staging.database.query('CREATE ROLE audit_owner; GRANT audit_owner TO CURRENT_USER');
    try {
      await staging.database.query(
        'ALTER TABLE stage.audit OWNER TO audit_owner; ALTER TABLE stage.audit DISABLE TRIGGER append_only',
      );
      await staging.database.query('GRANT USAGE ON SCHEMA stage TO audit_owner');
      const error = await rejects(
        staging.database.query('SET ROLE audit_owner; DELETE FROM stage.audit'),
      );
      assert.match(error.message, /permission denied/, 'the rights are a wall of their own');
    } finally {
      await staging.database.query('RESET ROLE; ALTER TABLE stage.audit OWNER TO CURRENT_USER');
      await staging.database.query(
        'ALTER TABLE stage.audit ENABLE TRIGGER append_only; DROP OWNED BY audit_owner; DROP ROLE audit_owner',
      );
    }
  });

  test('the chain can be recomputed by anybody from the published texts', async () => {
    const sha = (...parts: (string | Buffer)[]) =>
      parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
    const [head] = await staging.database.query<{ identity: string; hash: Buffer }>(
      'SELECT * FROM stage.audit_head',
    );
    const [first] = await staging.database.query<{
      session: string;
      mutation: string;
      lineage: string;
      relation: number;
      hash: Buffer;
    }>('SELECT * FROM stage.audit WHERE position = 1');
    const { approvedAt } = await getAuditEntry(staging.service, 'aud_1');
    const text =
      `["stage.audit.v1", 1, "${first?.session}", "test", ${first?.relation}, "t", ${first?.mutation}, ${first?.lineage}, "INSERT", "1", 1, null, ` +
      `{"v": "v", "id": 1}, "${approvedAt}", "kim"]`;
    assert.is(
      sha(sha(`stage.audit.v1 ${head?.identity}`), text).toString('hex'),
      first?.hash.toString('hex'),
    );
    const verdict = await verifyAudit(staging.service);
    assert.equal(verdict, {
      ok: true,
      entries: 12,
      approvals: 3,
      firstBad: null,
      head: `sha256:${head?.hash.toString('hex')}`,
    });
  });

  const tamperings: Record<string, readonly [statement: string, firstBad: string]> = {
    'a value edited': [
      `UPDATE stage.audit SET new_data = '{"v": "x", "id": 4}' WHERE position = 4`,
      'aud_4',
    ],
    '1 made 1.0': [
      `UPDATE stage.audit SET new_data = '{"n": 1.1, "id": "00000000-0000-0000-0000-00000000000a"}' WHERE position = 12`,
      'aud_12',
    ],
    'the approver edited': [
      `UPDATE stage.audit SET approved_by = 'lee' WHERE position = 7`,
      'aud_7',
    ],
    'text shifted between fields': [
      `UPDATE stage.audit SET project_id = 'tes', table_name = 'tt' WHERE position = 6`,
      'aud_6',
    ],
    'null made a text': [`UPDATE stage.audit SET approved_by = NULL WHERE position = 2`, 'aud_2'],
    'a hash edited': [`UPDATE stage.audit SET hash = sha256('x') WHERE position = 9`, 'aud_9'],
    'an entry deleted': ['DELETE FROM stage.audit WHERE position = 5', 'aud_5'],
    'an entry deleted and the gap closed': [
      'DELETE FROM stage.audit WHERE position = 5; UPDATE stage.audit SET position = position + 1000 WHERE position > 5; UPDATE stage.audit SET position = position - 1001 WHERE position > 1000',
      'aud_5',
    ],
    'two entries swapped': [
      'UPDATE stage.audit SET position = 99 WHERE position = 2; UPDATE stage.audit SET position = 2 WHERE position = 3; UPDATE stage.audit SET position = 3 WHERE position = 99',
      'aud_2',
    ],
    'an entry added at the end': [
      `INSERT INTO stage.audit SELECT 13, session, project_id, relation, table_name, mutation, lineage, operation, row_id, row_key, old_data, new_data, approved_at, approved_by, hash FROM stage.audit WHERE position = 12`,
      'aud_13',
    ],
    'the tail cut': [
      'DELETE FROM stage.audit WHERE position > 10; DELETE FROM stage.approval WHERE number = 3',
      'aud_11',
    ],
    'an approval deleted': ['DELETE FROM stage.approval WHERE number = 2', 'approval_2'],
    'the last approval deleted with its entries and the head set back': [
      `DELETE FROM stage.audit WHERE position > 10; DELETE FROM stage.approval WHERE number = 3;
       UPDATE stage.audit_head SET position = 10, approvals = 2`,
      'approval_2',
    ],
    'the name of the token edited': [
      `UPDATE stage.approval SET approved_as = 'kim' WHERE number = 1`,
      'approval_1',
    ],
    'an approval edited': [
      `UPDATE stage.approval SET digest = 'sha256:' || repeat('0', 64) WHERE number = 2`,
      'approval_2',
    ],
    'all of it made anew under another identity': [
      'UPDATE stage.audit_head SET identity = gen_random_uuid()',
      'aud_1',
    ],
  };
  for (const [name, [statement, firstBad]] of Object.entries(tamperings)) {
    test(`tampering is found: ${name}`, async () => {
      const verdict = await tampered(statement);
      assert.is(verdict.ok, false);
      assert.is(verdict.firstBad?.id, firstBad);
      assert.ok((await verifyAudit(staging.service)).ok, 'and the log is whole again');
    });
  }

  /** Tampers as a superuser who has removed the guards, verifies, and restores everything. */
  async function tampered(statement: string) {
    const tables = ['audit', 'approval', 'audit_head'];
    const save = tables
      .map((table) => `CREATE TABLE saved_${table} AS TABLE stage.${table};`)
      .join('');
    const restore = tables
      .map(
        (table) =>
          `DELETE FROM stage.${table}; INSERT INTO stage.${table} TABLE saved_${table}; DROP TABLE saved_${table};`,
      )
      .join('');
    const asReplica = 'SET LOCAL session_replication_role = replica;';
    const rights = `GRANT ALL ON stage.audit, stage.approval, stage.audit_head TO CURRENT_USER;`;
    await staging.database.query(`BEGIN; ${rights} ${asReplica} ${save} ${statement}; COMMIT`);
    const verdict = await verifyAudit(staging.service);
    await staging.database.query(`BEGIN; ${asReplica} ${restore} COMMIT`);
    return verdict;
  }
});
