/**
 * Verifies the audit: recomputes every hash of the chain and names the first entry that does not fit.
 *
 * The chain starts from sha256("stage.audit.v1 " + identity). Each entry, and after an approval's entries the approval itself,
 * adds a link: h = sha256(h || canonical text), the texts being those of stage.audit_text and stage.approval_text in UTF-8.
 * What the chain cannot tell is that all of it was made anew from some place on: that takes a head noted down elsewhere.
 */
import { createHash } from 'node:crypto';
import type { Database, Queryable, Row } from '../db/database.ts';
import { streamRows } from './stream-rows.ts';

export interface AuditVerdict {
  readonly ok: boolean;
  /** How many entries and approvals were found good. */
  readonly entries: number;
  readonly approvals: number;
  readonly firstBad: BadLink | null;
  /** The chain's end as the database states it, `sha256:` and 64 hexadecimal digits: note it down to compare it later. */
  readonly head: string;
}

export interface BadLink {
  /** `aud_<n>` of an entry, `approval_<n>` of an approval. */
  readonly id: string;
  readonly reason: string;
}

const selectHead = `
SELECT identity, position, approvals, encode(hash, 'hex') AS hash FROM stage.audit_head`;

const selectApprovals = `
SELECT number, first_position, entries, encode(hash, 'hex') AS hash, stage.approval_text(
  number, session, project_id, digest, first_position, entries, approved_at, approved_by, approved_as) AS text
FROM stage.approval ORDER BY number`;

const selectEntries = `
SELECT position, encode(hash, 'hex') AS hash, stage.audit_text(
  position, session, project_id, relation, table_name, mutation, lineage, operation, row_id, row_key, old_data, new_data,
  approved_at, approved_by) AS text
FROM stage.audit ORDER BY position`;

/**
 * Verifies the whole audit in one snapshot; memory does not grow with its length.
 * @param checkpoint a head that was noted down earlier: the chain must have passed through it
 */
export async function verifyAudit(
  db: Database,
  checkpoint: string | null = null,
): Promise<AuditVerdict> {
  return db.transaction(async (tx) => {
    const [row] = await tx.query(selectHead);
    const head = row as HeadRow;
    const walk = new ChainWalk(sha256(`stage.audit.v1 ${head.identity}`), checkpoint);
    const firstBad =
      (await walkChain(tx, walk)) ??
      compareEnd(walk, head) ??
      (walk.isPassed ? null : { id: 'checkpoint', reason: unpassed });
    return {
      ok: firstBad === null,
      entries: walk.entries,
      approvals: walk.approvals,
      firstBad,
      head: headOf(head.hash),
    };
  }, 'repeatable read read only');
}

/** Where the walk along the chain has arrived. */
class ChainWalk {
  entries = 0;
  approvals = 0;
  hash: Buffer;
  /** Whether the checkpoint, if there is one, was among the heads so far. */
  isPassed: boolean;
  readonly #checkpoint: string | null;

  constructor(start: Buffer, checkpoint: string | null) {
    this.hash = start;
    this.#checkpoint = checkpoint;
    this.isPassed = checkpoint === null || checkpoint === headOf(start.toString('hex'));
  }

  /** Goes over one link. Gives whether its stored hash is the one that follows. */
  follow(text: string, hash: string): boolean {
    this.hash = sha256(this.hash, text);
    return this.hash.toString('hex') === hash;
  }

  /** An approval ends here: its hash was the head of the chain then. */
  approve(): void {
    this.approvals += 1;
    this.isPassed ||= this.#checkpoint === headOf(this.hash.toString('hex'));
  }
}

async function walkChain(tx: Queryable, walk: ChainWalk): Promise<BadLink | null> {
  const entries = streamRows(tx, 'audit_entries', selectEntries);
  for await (const row of streamRows(tx, 'audit_approvals', selectApprovals)) {
    const approval = row as ApprovalRow;
    const number = walk.approvals + 1;
    const id = `approval_${number}`;
    if (Number(approval.number) !== number) return { id, reason: 'it is missing' };
    if (Number(approval.first_position) !== walk.entries + 1)
      return { id, reason: 'it does not begin where the one before it ended' };
    const bad = await walkEntries(entries, walk, Number(approval.entries));
    if (bad !== null) return bad;
    if (!walk.follow(approval.text, approval.hash)) return { id, reason: altered };
    walk.approve();
  }
  const surplus = await entries.next();
  if (surplus.done) return null;
  return { id: `aud_${(surplus.value as EntryRow).position}`, reason: 'it belongs to no approval' };
}

/** Goes over the entries of one approval. */
async function walkEntries(
  entries: AsyncGenerator<Row, void>,
  walk: ChainWalk,
  count: number,
): Promise<BadLink | null> {
  for (const end = walk.entries + count; walk.entries < end; walk.entries += 1) {
    const id = `aud_${walk.entries + 1}`;
    const next = await entries.next();
    if (next.done) return { id, reason: 'it is missing' };
    const entry = next.value as EntryRow;
    if (Number(entry.position) !== walk.entries + 1) return { id, reason: 'it is missing' };
    if (!walk.follow(entry.text, entry.hash)) return { id, reason: altered };
  }
  return null;
}

function compareEnd(walk: ChainWalk, head: HeadRow): BadLink | null {
  if (Number(head.position) > walk.entries)
    return { id: `aud_${walk.entries + 1}`, reason: 'it is missing' };
  if (Number(head.approvals) > walk.approvals)
    return { id: `approval_${walk.approvals + 1}`, reason: 'it is missing' };
  if (walk.hash.toString('hex') === head.hash) return null;
  return { id: `approval_${walk.approvals}`, reason: 'the chain does not end where its head says' };
}

const headOf = (hash: string) => `sha256:${hash}`;

const unpassed =
  'the chain never had this head: its end was cut off, or it was made anew from some place on';

const altered = 'its content or the chain before it was altered: the hash does not follow';

function sha256(...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

type HeadRow = Row & {
  readonly identity: string;
  readonly position: string;
  readonly approvals: string;
  readonly hash: string;
};
type ApprovalRow = EntryRow & {
  readonly number: string;
  readonly first_position: string;
  readonly entries: string;
};
type EntryRow = Row & { readonly position: string; readonly hash: string; readonly text: string };
