/** The versions of the policy in the database. */
import type { Database, Queryable, Row } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import { JsonText } from '../../model/json.ts';
import type { PageFilter } from '../../model/paging.ts';
import { cutTo, rowsFor } from '../../model/paging.ts';
import type { PolicyVersion } from '../../model/policy.ts';
import { sqlstateOf } from '../../staging/session-lock.ts';
import type { PolicyDocument } from './document.ts';
import { parsePolicy } from './document.ts';
import type { Policy } from './evaluate.ts';
import { oidsOf } from './policy-names.ts';

/** The policy if none was ever set. */
const none: PolicyDocument = { rules: [] };

const columns =
  'p.version, p.document::text, p.hash, p.set_by, p.message, stage.iso_time(p.at) AS at';

const selectNewest = `SELECT ${columns} FROM stage.policy p ORDER BY p.version DESC LIMIT 1`;

const selectVersions = `
SELECT ${columns} FROM stage.policy p WHERE p.version < $1 ORDER BY p.version DESC LIMIT $2 OFFSET $3`;

const policyFrom = (source: string) => `
SELECT p.version, p.document::text,
  -- OIDs of another database mean other tables
  CASE WHEN p.registry = 'stage.overlay'::regclass THEN p.relations ELSE '{}' END AS relations
FROM ${source} p ORDER BY p.version DESC LIMIT 1`;

const selectPolicy = policyFrom('stage.policy');
const lockNewest = policyFrom('stage.lock_policy($1)');

/** Reads the policy that counts now. */
export async function readPolicy(db: Queryable): Promise<Policy> {
  const [row] = await db.query(selectPolicy);
  return policyOf(row);
}

function policyOf(row: Row | undefined): Policy {
  if (row === undefined) return { version: 0, document: none, oids: new Map() };
  const oids = JSON.parse(row['relations'] ?? '{}') as Record<string, number[]>;
  return {
    version: Number(row['version']),
    document: JSON.parse(row['document'] ?? '{}') as PolicyDocument,
    oids: new Map(Object.entries(oids)),
  };
}

/**
 * Reads the policy that counts until the transaction ends: no other is set meanwhile.
 * @param leftMs the longest wait while one is being set, in milliseconds
 * @throws StageError `busy` if one is still being set after that
 */
export async function lockPolicy(tx: Queryable, leftMs: number): Promise<Policy> {
  const wait = String(Math.max(1, Math.floor(leftMs)));
  const [row] = await tx.query(lockNewest, [wait]).catch(unlessLocked);
  return policyOf(row);
}

/** Returns the newest version. */
export async function newestPolicy(db: Queryable): Promise<PolicyVersion> {
  const [row] = await db.query(selectNewest);
  if (row !== undefined) return versionOf(row);
  const nothing = { hash: null, setBy: null, message: null, at: null };
  return { version: '0', document: new JsonText('{"rules": []}'), ...nothing };
}

export interface PolicyHistory {
  /** Newest first. */
  readonly versions: readonly PolicyVersion[];
  readonly totalCount: number;
  readonly hasMore: boolean;
}

/** The largest bigint. */
const noVersion = '9223372036854775807';

/** Lists the versions of the policy, newest first. */
export async function listPolicies(db: Queryable, filter: PageFilter): Promise<PolicyHistory> {
  const values = [filter.after?.[0] ?? noVersion, rowsFor(filter), filter.offset];
  const { rows, hasMore } = cutTo(filter, await db.query(selectVersions, values));
  const [total] = await db.query('SELECT count(*) FROM stage.policy');
  return { versions: rows.map(versionOf), totalCount: Number(total?.['count']), hasMore };
}

export interface NewPolicy {
  readonly document: unknown;
  /** The version that the caller has seen; null for any. */
  readonly after: string | null;
  readonly setBy: string | null;
  readonly message: string | null;
}

/**
 * Sets the policy for all daemons. Waits for approvals that are under way.
 * @param people names of tokens with their roles
 * @throws StageError `invalid_request` for a document that is not valid, `policy_changed` if there is a newer version than the one seen,
 * `busy` while approvals are under way
 */
export async function setPolicy(
  db: Database,
  { document, after, setBy, message }: NewPolicy,
  people: Parameters<typeof oidsOf>[2],
): Promise<PolicyVersion> {
  const parsed = parsePolicy(document);
  return db.transaction(
    async (tx) => {
      const oids = await oidsOf(tx, parsed, people);
      await tx.query(`SET LOCAL lock_timeout = '2s'`);
      const values = [after, JSON.stringify(parsed), JSON.stringify(oids), setBy, message];
      const [row] = await tx
        .query('SELECT stage.set_policy($1, $2, $3, $4, $5) AS version', values)
        .catch(unlessLocked);
      const newest = await newestPolicy(tx);
      if (row?.['version'] === null || row === undefined) throw changed(newest);
      return newest;
    },
    'read committed',
    async (tx, { version, hash }) =>
      (await tx.query('SELECT FROM stage.policy WHERE version = $1 AND hash = $2', [version, hash]))
        .length > 0,
  );
}

function versionOf(row: { readonly [column: string]: string | null }): PolicyVersion {
  return {
    version: String(row['version']),
    document: new JsonText(row['document'] ?? '{}'),
    hash: row['hash'] ?? null,
    setBy: row['set_by'] ?? null,
    message: row['message'] ?? null,
    at: row['at'] ?? null,
  };
}

function changed({ version }: PolicyVersion): StageError {
  return new StageError('policy_changed', `the policy is at version ${version} by now`, {
    hint: 'Read it again, and set yours for that version: stage policy show.',
    facts: { version },
  });
}

function unlessLocked(error: unknown): never {
  if (sqlstateOf(error) !== '55P03') throw error;
  throw new StageError('busy', 'the policy is being set, or approvals are under way', {
    hint: 'Try again in a moment.',
    cause: error,
  });
}
