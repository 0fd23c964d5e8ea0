/**
 * The states of the client's transaction, and what each event makes of them: a total table.
 *
 * Access is never inferred. The proxy has written it into the BEGIN that it sent, or the server has told it: whatever else
 * can change it makes it `unknown`, and the server is asked before anything of the client's runs. Where it is unknown, reads
 * are guarded and writes are staged.
 * https://www.postgresql.org/docs/current/sql-set-transaction.html
 */

export type Access = 'read write' | 'read only';

/** What is known of a transaction that is open: its access, or that it has failed. */
type Condition = Access | 'unknown' | 'failed';

/**
 * `internal`: a block that the proxy has opened for writes outside the client's transactions; `client`: one that the client's BEGIN
 * has opened; `left`: a COMMIT or ROLLBACK has been sent, and not been answered.
 */
export type TransactionPhase =
  | 'none'
  | `internal ${Condition}`
  | `client ${Condition}`
  | 'left internal'
  | 'left client';

/** What has been sent, and what the server has answered. */
export type TransactionEvent =
  /** The proxy's own BEGIN, with its access. */
  | `internal begin ${Access}`
  /** The client's BEGIN, to which the proxy has added the access. */
  | `begin ${Access}`
  /** The client's BEGIN as it was written. */
  | 'begin'
  /** The client's BEGIN inside a block of the proxy's has failed. */
  | 'begin failed'
  | 'set transaction'
  | 'release'
  | 'rollback to'
  | 'chain'
  | 'end'
  /** Answers to SHOW transaction_read_only. */
  | `shows ${Access}`
  /** The status of a ReadyForQuery. */
  | 'ready I'
  | 'ready T'
  | 'ready E';

type Row = Readonly<Record<TransactionEvent, TransactionPhase>>;

/** No transaction of the client's: what runs is READ ONLY, by the pinned default. */
function outside(phase: 'none' | 'left internal' | 'left client'): Row {
  const block = phase === 'left internal' ? 'internal' : 'client';
  return {
    'internal begin read write': 'internal read write',
    'internal begin read only': 'internal read only',
    'begin read write': 'client read write',
    'begin read only': 'client read only',
    begin: 'client unknown',
    'begin failed': phase,
    'set transaction': phase,
    release: phase,
    'rollback to': phase,
    chain: phase,
    end: phase,
    'shows read write': phase,
    'shows read only': phase,
    'ready I': 'none',
    // What was to end the transaction was skipped after an error.
    'ready T': `${block} unknown`,
    'ready E': `${block} failed`,
  };
}

function inside(block: 'internal' | 'client', condition: Condition): Row {
  const phase = `${block} ${condition}` as const;
  const isFailed = condition === 'failed';
  const changed = isFailed ? phase : (`${block} unknown` as const);
  const begun = isFailed ? phase : 'client unknown';
  return {
    'internal begin read write': phase,
    'internal begin read only': phase,
    // PostgreSQL warns, and sets what is said of the access all the same.
    'begin read write': begun,
    'begin read only': begun,
    begin: begun,
    'begin failed': `internal ${condition}`,
    'set transaction': changed,
    release: changed,
    // Both end the failure.
    'rollback to': `${block} unknown`,
    chain: `${block} unknown`,
    end: `left ${block}`,
    'shows read write': isFailed ? phase : `${block} read write`,
    'shows read only': isFailed ? phase : `${block} read only`,
    'ready I': 'none',
    'ready T': isFailed ? `${block} unknown` : phase,
    'ready E': `${block} failed`,
  };
}

/** The next phase, by phase and event. */
export const transactionTable: Readonly<Record<TransactionPhase, Row>> = {
  none: outside('none'),
  'left internal': outside('left internal'),
  'left client': outside('left client'),
  'internal read write': inside('internal', 'read write'),
  'internal read only': inside('internal', 'read only'),
  'internal unknown': inside('internal', 'unknown'),
  'internal failed': inside('internal', 'failed'),
  'client read write': inside('client', 'read write'),
  'client read only': inside('client', 'read only'),
  'client unknown': inside('client', 'unknown'),
  'client failed': inside('client', 'failed'),
};

/** Who has opened the transaction block that is open: the proxy for writes outside of the client's transactions, or the client's BEGIN. */
export type Block = 'none' | 'internal' | 'client';

interface PhaseFacts {
  readonly block: Block;
  readonly failed: boolean;
  readonly isReadOnly: boolean;
  readonly isReadWrite: boolean;
}

/** What a phase says, taken out of its name once: it is asked for several times a message. */
export const phaseFacts = Object.fromEntries(
  Object.keys(transactionTable).map((phase) => {
    const inside = phase.startsWith('internal') ? 'internal' : 'client';
    const block: Block = phase === 'none' || phase.startsWith('left') ? 'none' : inside;
    const isReadOnly = phase.endsWith('read only');
    const isReadWrite = phase.endsWith('read write');
    return [phase, { block, failed: phase.endsWith('failed'), isReadOnly, isReadWrite }];
  }),
) as Readonly<Record<TransactionPhase, PhaseFacts>>;
