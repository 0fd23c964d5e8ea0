/** Callers' operations on a session: sent while something breaks, looked up in the database afterwards, and repeated. */
import { randomUUID } from 'node:crypto';
import { callHttp } from '../helpers/http.ts';
import type { CallOutcome } from './outcomes.ts';
import { restOutcome, sendRest, sendWrite } from './outcomes.ts';
import type { OperationName, Plan, Preparation } from './plans.ts';
import { operationNames, plans } from './plans.ts';
import type { Scene, Target } from './scene.ts';
import { patiently, preparationMs, targetOf } from './scene.ts';

export interface Operation {
  readonly name: OperationName;
  /** The state after it is done: `before` if it changes nothing. */
  readonly done: 'before' | 'after';
  /** Sends it to a daemon. */
  send(target: Target): Promise<CallOutcome>;
  /** Returns `before` or `after`, as the database shows; otherwise the text that it shows. */
  found(): Promise<string>;
  /** Repeats it on the healthy daemon. Returns what is wrong with the result. */
  again(found: string): Promise<string[]>;
}

const look = (relation: number) => `
SELECT coalesce((SELECT s.status FROM stage.session s WHERE s.id = k.id), 'none') || ' '
  || (SELECT count(*) FROM stage.mutation m WHERE m.session = k.id) || ' '
  || (SELECT count(*) FROM stage_data.shadow_${relation} v WHERE v._stage_session = k.id) || ' '
  || coalesce((SELECT s.edits FROM stage.session s WHERE s.id = k.id), 0) || ' '
  || (SELECT count(*) FROM stage.audit a WHERE a.session = k.id) || ' '
  || (SELECT least(count(*), 1) FROM stage.session s WHERE s.reverts = k.id) || ' '
  || (SELECT string_agg(balance::text, '' ORDER BY id) FROM account WHERE id = ANY ($2))
  || (SELECT CASE WHEN count(*) > 0 THEN ' +' || count(*) ELSE '' END FROM stage_data.shadow_${relation} v
      JOIN stage.session s ON s.id = v._stage_session WHERE s.split_from = k.id) AS found
FROM (SELECT coalesce((SELECT s.id FROM stage.session s WHERE s.request_key = $1), $3::uuid) AS id) k`;

const nobody = '00000000-0000-0000-0000-000000000000';

/** Prepares one of each, all on their own rows and sessions. */
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
  const session = plan.prepared ? await scene.healthy.newSession() : '';
  const path = session && `/${session}`;
  const decide = async (decision: string) => {
    const { status } = await scene.healthy.call('POST', `/sessions${path}/${decision}`);
    if (status !== 200) throw new Error(`${decision}: ${status}`);
  };
  const preparations: Record<Preparation, () => Promise<unknown>> = {
    staged: () => scene.write(targetOf(scene.healthy), session, statement),
    drifted: () =>
      scene.database.query('UPDATE account SET note = note + 1 WHERE id = ANY ($1)', [rows]),
    proposed: () => decide('propose'),
    approved: () => decide('approve'),
  };
  for (const preparation of plan.prepared ?? []) await preparations[preparation]();
  const headers = plan.prepared ? {} : { 'idempotency-key': key };
  const only = plan.isPartial ? { only: [{ table: 'account', row_id: rows[0] }] } : {};
  const ask = (url: string) =>
    callHttp(url, plan.method, `/sessions${path}${plan.path}`, {
      json: { ...plan.body, ...only },
      headers,
    });
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
      if (restOutcome(status, body).result === 'undone') throw new Error(`asked again: ${status}`);
      return status;
    });
  };
  const done = plan.before === plan.after ? 'before' : 'after';
  return {
    name,
    done,
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
        ...(is === done ? [] : [`${name}: asked again, is ${is}`]),
      ];
    },
  };
}
