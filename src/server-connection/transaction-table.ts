/**
 * The states of the client's transaction, and the effect of each event on them, as a total table.
 *
 * Access is never inferred. Either the proxy has written it into the BEGIN that it sent, or the server has reported it. Everything else
 * that can change it makes it `unknown`, and the proxy queries the server before it runs anything of the client. While it is unknown, reads
 * are guarded and writes are staged.
 * https://www.postgresql.org/docs/current/sql-set-transaction.html
 */

export type Access = 'read write' | 'read only';

/** The known facts of an open transaction: its access, or that it has failed. */
type Condition = Access | 'unknown' | 'failed';

/**
 * `internal`: a block that the proxy opened for writes outside the client's transactions; `client`: a block that the client's BEGIN
 * opened; `left`: a COMMIT or ROLLBACK was sent, and has no response yet.
 */
export type TransactionPhase =
  | 'none'
  | `internal ${Condition}`
  | `client ${Condition}`
  | 'left internal'
  | 'left client';

/** A command that was sent, or a response of the server. */
export type TransactionEvent =
  /** The proxy's own BEGIN, with its access. */
  | `internal begin ${Access}`
  /** The client's BEGIN, to which the proxy has added the access. */
  | `begin ${Access}`
  /** The client's BEGIN, unchanged. */
  | 'begin'
  /** The client's BEGIN inside an internal block has failed. */
  | 'begin failed'
  | 'set transaction'
  | 'release'
  | 'rollback to'
  | 'chain'
  | 'end'
  /** The responses to SHOW transaction_read_only. */
  | `shows ${Access}`
  /** The status of a ReadyForQuery. */
  | 'ready I'
  | 'ready T'
  | 'ready E';

type Row = Readonly<Record<TransactionEvent, TransactionPhase>>;

/** The client has no transaction. Statements run READ ONLY, by the pinned default. */
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
    // The command that should have ended the transaction was skipped after an error.
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
    // PostgreSQL warns, but applies the access mode of the BEGIN.
    'begin read write': begun,
    'begin read only': begun,
    begin: begun,
    'begin failed': `internal ${condition}`,
    'set transaction': changed,
    release: changed,
    // Both end the failed state.
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

/** The owner of the open transaction block: the proxy, for writes outside the client's transactions, or the client's BEGIN. */
export type Block = 'none' | 'internal' | 'client';

interface PhaseFacts {
  readonly block: Block;
  readonly failed: boolean;
  readonly isReadOnly: boolean;
  readonly isReadWrite: boolean;
}

/** The facts in each phase's name. They are extracted once, because each message needs them several times. */
export const phaseFacts = Object.fromEntries(
  Object.keys(transactionTable).map((phase) => {
    const inside = phase.startsWith('internal') ? 'internal' : 'client';
    const block: Block = phase === 'none' || phase.startsWith('left') ? 'none' : inside;
    const isReadOnly = phase.endsWith('read only');
    const isReadWrite = phase.endsWith('read write');
    return [phase, { block, failed: phase.endsWith('failed'), isReadOnly, isReadWrite }];
  }),
) as Readonly<Record<TransactionPhase, PhaseFacts>>;
