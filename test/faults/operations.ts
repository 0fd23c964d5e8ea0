/** What callers ask of a session: sent while something breaks, looked up in the database afterwards, and asked for again. */
import { randomUUID } from 'node:crypto';
import { callHttp } from '../helpers/http.ts';
import type { Answer } from './answers.ts';
import { restAnswer, sendRest, sendWrite } from './answers.ts';
import type { Scene, Target } from './scene.ts';
import { patiently, preparationMs, targetOf } from './scene.ts';

export interface Operation {
  readonly name: OperationName;
  /** Asks a daemon for it. */
  send(target: Target): Promise<Answer>;
  /** `before` or `after`, as the database says; else what it says. */
  found(): Promise<string>;
  /** Asks the healthy daemon for it, again. Gives what is wrong with that. */
  again(found: string): Promise<string[]>;
}

interface Plan {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  /** State, mutations, staged rows, audit entries and balances of the session's three rows. */
  readonly before: string;
  readonly after: string;
  /** What is answered when it was not done before, and when it was. */
  readonly statuses: readonly [number, number];
}

const plans = {
  create: {
    method: 'POST',
    path: '',
    before: 'none 0 0 0 000',
    after: 'active 0 0 0 000',
    statuses: [201, 200],
  },
  stage: {
    method: 'POST',
    path: '',
    before: 'active 0 0 0 000',
    after: 'active 1 3 0 000',
    statuses: [200, 200],
  },
  propose: {
    method: 'POST',
    path: '/propose',
    before: 'active 1 3 0 000',
    after: 'proposed 1 3 0 000',
    statuses: [200, 409],
  },
  approve: {
    method: 'POST',
    path: '/approve',
    before: 'proposed 1 3 0 000',
    after: 'approved 1 0 3 111',
    statuses: [200, 409],
  },
  reject: {
    method: 'POST',
    path: '/reject',
    before: 'proposed 1 3 0 000',
    after: 'rejected 0 0 0 000',
    statuses: [200, 409],
  },
  delete: {
    method: 'DELETE',
    path: '',
    before: 'active 1 3 0 000',
    after: 'none 0 0 0 000',
    statuses: [200, 404],
  },
} satisfies Record<string, Plan>;
export type OperationName = keyof typeof plans;
export const operationNames = Object.keys(plans) as OperationName[];

const look = (relation: number) => `
SELECT coalesce((SELECT s.status FROM stage.session s WHERE s.id = k.id), 'none') || ' '
  || (SELECT count(*) FROM stage.mutation m WHERE m.session = k.id) || ' '
  || (SELECT count(*) FROM stage_data.shadow_${relation} v WHERE v._stage_session = k.id) || ' '
  || (SELECT count(*) FROM stage.audit a WHERE a.session = k.id) || ' '
  || (SELECT string_agg(balance::text, '' ORDER BY id) FROM account WHERE id = ANY ($2)) AS found
FROM (SELECT coalesce((SELECT s.id FROM stage.session s WHERE s.request_key = $1), $3::uuid) AS id) k`;

const nobody = '00000000-0000-0000-0000-000000000000';

/** Prepares one of each, all on rows and sessions of their own. */
export async function prepareOperations(scene: Scene): Promise<Operation[]> {
  const [row] = await patiently(() =>
    scene.database.query<{ oid: number }>(`SELECT 'account'::regclass::oid::int AS oid`),
  );
  const relation = row?.oid ?? 0;
  return Promise.all(
    operationNames.map((name) => patiently(() => prepare(scene, name, relation), preparationMs)),
  );
}

async function prepare(scene: Scene, name: OperationName, relation: number): Promise<Operation> {
  const plan: Plan = plans[name];
  const key = randomUUID();
  const rows = await scene.newRows();
  const statement = `UPDATE account SET balance = balance + 1 WHERE id IN (${rows.join()})`;
  const session = name === 'create' ? '' : await scene.healthy.newSession();
  const path = session && `/${session}`;
  if (!['create', 'stage'].includes(name))
    await scene.write(targetOf(scene.healthy), session, statement);
  if (['approve', 'reject'].includes(name)) {
    const { status } = await scene.healthy.call('POST', `/sessions${path}/propose`);
    if (status !== 200) throw new Error(`not proposed: ${status}`);
  }
  const headers = name === 'create' ? { 'idempotency-key': key } : {};
  const ask = (url: string) =>
    callHttp(url, plan.method, `/sessions${path}${plan.path}`, { json: {}, headers });
  const found = async () => {
    const values = [key, rows, session.slice('sess_'.length) || nobody];
    const [state] = await patiently(() =>
      scene.database.query<{ found: string }>(look(relation), values),
    );
    const text = String(state?.found);
    if (text === plan.before) return 'before';
    return text === plan.after ? 'after' : text;
  };
  const askAgain = async (was: string): Promise<number> => {
    if (name === 'stage' && was === 'after') return 200;
    return patiently(async () => {
      if (name === 'stage') {
        await scene.write(targetOf(scene.healthy), session, statement);
        return 200;
      }
      const { status, body } = await ask(scene.healthy.restUrl);
      if (restAnswer(status, body).said === 'undone') throw new Error(`asked again: ${status}`);
      return status;
    });
  };
  return {
    name,
    found,
    send: (target) =>
      name === 'stage'
        ? sendWrite(() => scene.write(target, session, statement))
        : sendRest(() => ask(target.restUrl)),
    again: async (was) => {
      const status = await askAgain(was);
      const expected = plan.statuses[was === 'before' ? 0 : 1];
      const is = await found();
      return [
        ...(status === expected ? [] : [`${name}: asked again, answered ${status}, was ${was}`]),
        ...(is === 'after' ? [] : [`${name}: asked again, is ${is}`]),
      ];
    },
  };
}
