/** Operations on a session of three rows of `account`, and how the database shows them. */

export interface Plan {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Whether the body has the first row as `only`. */
  readonly isPartial?: true;
  /** The operation that came before; not set if there is none. */
  readonly prepared?: readonly Preparation[];
  /** State, mutations, staged rows, edits, audit entries, sessions that revert it, the balances of its three rows, and rows that were split off. */
  readonly before: string;
  readonly after: string;
  /** The statuses of the response if it was not done before, and if it was. An operation that changes nothing is never done before. */
  readonly statuses: readonly [number, number];
}

/** Staged rows; production changed them, too; the session was proposed; it was approved. */
export type Preparation = 'staged' | 'drifted' | 'proposed' | 'approved';

const staged = 'active 1 3 0 0 0 000';
const proposed = 'proposed 1 3 0 0 0 000';
const approved = 'approved 1 0 0 3 0 111';

export const plans = {
  create: {
    method: 'POST',
    path: '',
    before: 'none 0 0 0 0 0 000',
    after: 'active 0 0 0 0 0 000',
    statuses: [201, 200],
  },
  stage: {
    method: 'POST',
    path: '',
    prepared: [],
    before: 'active 0 0 0 0 0 000',
    after: staged,
    statuses: [200, 200],
  },
  unstage: {
    method: 'POST',
    path: '/unstage',
    body: { rows: [{ table: 'account' }] },
    prepared: ['staged'],
    before: staged,
    after: 'active 1 0 1 0 0 000',
    statuses: [200, 409],
  },
  resolve: {
    method: 'POST',
    path: '/resolve',
    body: { all: 'mine' },
    prepared: ['staged', 'drifted'],
    before: staged,
    after: 'active 1 3 1 0 0 000',
    statuses: [200, 409],
  },
  propose: {
    method: 'POST',
    path: '/propose',
    prepared: ['staged'],
    before: staged,
    after: proposed,
    statuses: [200, 409],
  },
  rehearse: {
    method: 'POST',
    path: '/rehearse',
    prepared: ['staged', 'proposed'],
    before: proposed,
    after: proposed,
    statuses: [200, 200],
  },
  reopen: {
    method: 'POST',
    path: '/reopen',
    body: { message: 'once more' },
    prepared: ['staged', 'proposed'],
    before: proposed,
    after: staged,
    statuses: [200, 409],
  },
  approve: {
    method: 'POST',
    path: '/approve',
    prepared: ['staged', 'proposed'],
    before: proposed,
    after: approved,
    statuses: [200, 409],
  },
  'approve part': {
    method: 'POST',
    path: '/approve',
    isPartial: true,
    prepared: ['staged', 'proposed'],
    before: proposed,
    after: 'approved 1 0 0 1 0 100 +2',
    statuses: [200, 409],
  },
  split: {
    method: 'POST',
    path: '/split',
    isPartial: true,
    prepared: ['staged'],
    before: staged,
    after: 'active 1 2 1 0 0 000 +1',
    statuses: [201, 409],
  },
  reject: {
    method: 'POST',
    path: '/reject',
    prepared: ['staged', 'proposed'],
    before: proposed,
    after: 'rejected 0 0 0 0 0 000',
    statuses: [200, 409],
  },
  delete: {
    method: 'DELETE',
    path: '',
    prepared: ['staged'],
    before: staged,
    after: 'none 0 0 0 0 0 000',
    statuses: [200, 404],
  },
  revert: {
    method: 'POST',
    path: '/revert',
    prepared: ['staged', 'proposed', 'approved'],
    before: approved,
    after: 'approved 1 0 0 3 1 111',
    statuses: [201, 201],
  },
} satisfies Record<string, Plan>;

export type OperationName = keyof typeof plans;
export const operationNames = Object.keys(plans) as OperationName[];
