/**
 * Verifies the audit: recomputes every hash of the chain and reports the first entry that does not match.
 *
 * The chain starts from sha256("stage.audit.v1 " + identity). Each entry, and after an approval's entries the approval itself, adds a link:
 * h = sha256(h || canonical text in UTF-8). audit-links.ts defines the texts.
 * The chain cannot show that all of it was rebuilt from some position on. That takes a head that was noted down elsewhere.
 */
import { hash as digest } from 'node:crypto';
import type { Queryable, Row } from '../db/database.ts';
import type { ApprovalRow, EntryRow } from './audit-links.ts';
import { approvalText, entryText, selectApprovals, selectEntries } from './audit-links.ts';
import { PagedRows } from './stream-rows.ts';

export interface AuditVerdict {
  readonly ok: boolean;
  /** The number of entries and approvals that were verified. */
  readonly entries: number;
  readonly approvals: number;
  readonly firstBad: BadLink | null;
  /** The chain's end as the database states it, `sha256:` and 64 hexadecimal digits. Note it down to compare it later. */
  readonly head: string;
}

export interface BadLink {
  /** `aud_<n>` of an entry, `approval_<n>` of an approval. */
  readonly id: string;
  readonly reason: string;
}

const selectHead = `
SELECT identity, position, approvals, encode(hash, 'hex') AS hash FROM stage.audit_head`;

/** Selects the head, and what exists after the entry $1 and the approval $2. */
const selectEnd = `
SELECT identity, position, approvals, encode(hash, 'hex') AS hash,
  (SELECT min(a.position) FROM stage.audit a WHERE a.position > $1) AS surplus,
  EXISTS (SELECT FROM stage.approval p WHERE p.number > $2) AS goes_on
FROM stage.audit_head`;

/**
 * Verifies the whole audit, up to its end when the verification arrives there. Neither memory nor the duration of a snapshot grows with its
 * length.
 * @param checkpoint a head that was noted down earlier: the chain must include it
 */
export async function verifyAudit(
  db: Queryable,
  checkpoint: string | null = null,
): Promise<AuditVerdict> {
  const [row] = await db.query(selectHead);
  const { identity } = row as HeadRow;
  const walk = new ChainWalk(sha256(Buffer.from(`stage.audit.v1 ${identity}`)), checkpoint);
  const [bad, head] = await walkChain(db, walk);
  const firstBad =
    bad ??
    compareEnd(walk, head) ??
    // guard: the chain is compared with a checkpoint
    (walk.isPassed ? null : { id: 'checkpoint', reason: unpassed });
  return {
    ok: firstBad === null,
    entries: walk.entries,
    approvals: walk.approvals,
    firstBad,
    head: headOf(head.hash),
  };
}

/** Returns the chain's end as stored, and so the amount to verify, without verifying any of it. */
export async function auditHead(
  db: Queryable,
): Promise<Pick<AuditVerdict, 'entries' | 'approvals' | 'head'>> {
  const [row] = await db.query(selectHead);
  const { position, approvals, hash } = row as HeadRow;
  return { entries: Number(position), approvals: Number(approvals), head: headOf(hash) };
}

/** The current position in the chain. */
class ChainWalk {
  entries = 0;
  approvals = 0;
  /** In hexadecimal digits. */
  hash: string;
  /** Whether the checkpoint, if there is one, was among the heads so far. */
  isPassed: boolean;
  readonly #checkpoint: string | null;

  constructor(start: string, checkpoint: string | null) {
    this.hash = start;
    this.#checkpoint = checkpoint;
    this.isPassed = checkpoint === null || checkpoint === headOf(start);
  }

  /** Follows one link. Returns whether its stored hash, as PostgreSQL prints it, matches the computed one. */
  follow(text: string, hash: string): boolean {
    this.hash = sha256(Buffer.concat([Buffer.from(this.hash, 'hex'), Buffer.from(text)]));
    return hash === `\\x${this.hash}`;
  }

  /** Ends an approval: its hash was the head of the chain at that time. */
  approve(): void {
    this.approvals += 1;
    this.isPassed ||= this.#checkpoint === headOf(this.hash);
  }
}

/** Returns the first link that does not match, and the head at the end of the verification. */
async function walkChain(db: Queryable, walk: ChainWalk): Promise<[BadLink | null, EndRow]> {
  const approvals = new PagedRows(db, selectApprovals, 'number');
  const entries = new PagedRows(db, selectEntries, 'position');
  for (;;) {
    const bad = await walkApprovals(approvals, entries, walk);
    const [row] = await db.query(selectEnd, [walk.entries, walk.approvals]);
    const end = row as EndRow;
    // approvals during the verification are verified, too
    if (bad === null && end.goes_on === 't') continue;
    return [bad ?? surplusOf(end), end];
  }
}

async function walkApprovals(
  approvals: PagedRows,
  entries: PagedRows,
  walk: ChainWalk,
): Promise<BadLink | null> {
  for (let row = await approvals.next(); row !== null; row = await approvals.next()) {
    const approval = row as ApprovalRow;
    const number = walk.approvals + 1;
    const id = `approval_${number}`;
    if (Number(approval.number) !== number) return { id, reason: 'it is missing' };
    if (Number(approval.first_position) !== walk.entries + 1)
      return { id, reason: 'it does not begin where the one before it ended' };
    const bad = await walkEntries(entries, walk, Number(approval.entries));
    if (bad !== null) return bad;
    if (!walk.follow(approvalText(approval), approval.hash)) return { id, reason: altered };
    walk.approve();
  }
  return null;
}

function surplusOf({ surplus }: EndRow): BadLink | null {
  return surplus === null ? null : { id: `aud_${surplus}`, reason: 'it belongs to no approval' };
}

/** Follows the entries of one approval. */
async function walkEntries(
  entries: PagedRows,
  walk: ChainWalk,
  count: number,
): Promise<BadLink | null> {
  for (const end = walk.entries + count; walk.entries < end; walk.entries += 1) {
    const id = `aud_${walk.entries + 1}`;
    const entry = (await entries.next()) as EntryRow | null;
    if (entry === null) return { id, reason: 'it is missing' };
    if (Number(entry.position) !== walk.entries + 1) return { id, reason: 'it is missing' };
    // guard: hashes of entries are compared
    if (!walk.follow(entryText(entry), entry.hash)) return { id, reason: altered };
  }
  return null;
}

function compareEnd(walk: ChainWalk, head: HeadRow): BadLink | null {
  if (Number(head.position) > walk.entries)
    return { id: `aud_${walk.entries + 1}`, reason: 'it is missing' };
  if (Number(head.approvals) > walk.approvals)
    return { id: `approval_${walk.approvals + 1}`, reason: 'it is missing' };
  if (walk.hash === head.hash) return null;
  return { id: `approval_${walk.approvals}`, reason: 'the chain does not end at its head' };
}

const headOf = (hash: string) => `sha256:${hash}`;

const unpassed =
  'the chain never had this head: its end was cut off, or it was made anew from some place on';

const altered = 'its content or the chain before it was altered: the hash does not follow';

function sha256(bytes: Buffer): string {
  return digest('sha256', bytes, 'hex');
}

type HeadRow = Row & {
  readonly identity: string;
  readonly position: string;
  readonly approvals: string;
  readonly hash: string;
};

type EndRow = HeadRow & {
  readonly surplus: string | null;
  readonly goes_on: string;
};
