/** The published vectors of approvals: every version of their text, as the database writes it, and as the verification computes it. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ApprovalRow } from '../../src/review/audit-links.ts';
import { approvalText } from '../../src/review/audit-links.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, suite } from '../helpers/suite.ts';

type Vector = Readonly<Record<Exclude<keyof ApprovalRow, 'voters' | 'grounds'>, string | null>> & {
  readonly voters: readonly string[] | null;
  readonly grounds: object | null;
  readonly text: string;
  readonly hash: string;
};

interface Vectors {
  readonly identity: string;
  readonly first_hash: string;
  readonly approvals: readonly Vector[];
}

const sha256 = (...parts: readonly (string | Buffer)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

const inDatabase = `SELECT stage.approval_text($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS text, $10::jsonb::text AS voters, $11::jsonb::text AS grounds`;

suite('published vectors of approvals', (test) => {
  let database: TestDatabase;
  test.before(async () => {
    database = await createTestDatabase({ template: 'migrated' });
  });
  test.after(() => database.drop());

  const vectors: Vectors = JSON.parse(
    readFileSync('templates/audit/approval-vectors.json', 'utf8'),
  );

  test('the chain of all versions is that of the database, and of the verification', async () => {
    let hash = sha256(`stage.audit.v1 ${vectors.identity}`);
    assert.is(hash.toString('hex'), vectors.first_hash);
    for (const { text, hash: published, voters, grounds, ...row } of vectors.approvals) {
      const values = [
        ...[row['number'], row['session'], row['project_id'], row['digest']],
        ...[row['first_position'], row['entries'], row['approved_at']],
        ...[row['approved_by'], row['approved_as']],
        ...[voters, grounds].map((each) => (each === null ? null : JSON.stringify(each))),
      ];
      const [written] = await database.query<Record<'text' | 'voters' | 'grounds', string | null>>(
        inDatabase,
        values,
      );
      assert.is(written?.text, text);
      const stored = { ...row, voters: written?.voters, grounds: written?.grounds };
      assert.is(approvalText(stored as unknown as ApprovalRow), text);
      hash = sha256(hash, text);
      assert.is(hash.toString('hex'), published);
    }
  });

  test('there is one of each version, and of each ground', () => {
    const named = vectors.approvals.map(({ text }) => /approval\.v\d/.exec(text)?.[0]);
    assert.equal(new Set(named), new Set(['approval.v1', 'approval.v2', 'approval.v3']));
    const grounds = vectors.approvals.flatMap((each) => Object.keys(each.grounds ?? {}));
    assert.equal(new Set(grounds), new Set(['policy', 'passed', 'break_glass']));
  });
});
