/**
 * Kills of daemons while they follow the rules of review: two daemons on one database apply scheduled approvals, approve by the policy,
 * reject what is too old, and split sessions. Any of them dies at any moment, by SIGKILL, and is started again. In the end each session is
 * decided once, and each of its rows is in production once, or nowhere; the rows of a split are staged once, in one of two sessions.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { callHttp } from '../helpers/http.ts';
import { brokenInvariants } from '../helpers/invariants.ts';
import type { Random } from '../helpers/random.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import type { SpawnedDaemon } from '../helpers/spawned-daemon.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import type { Arena, Outcome } from './arena.ts';
import { patiently } from './scene.ts';

/** What daemons do with a session, with what is found of it in the end: state, balance of its three rows, and how often it was decided. */
const ends = {
  scheduled: 'approved 3 1 approved',
  auto: 'approved 3 1 approved',
  old: 'rejected 0 0 expired',
} as const;
type Kind = keyof typeof ends;
const kinds = Object.keys(ends) as Kind[];

/** The number of sessions of each kind in a round: all daemons are busy with them for a while. */
const each = 3;

const rules = [
  {
    name: 'auto',
    projects: ['auto'],
    auto_approve: { max_rows: 3, operations: ['update'], flags: ['share_of_table', 'overlap'] },
  },
  { name: 'old', projects: ['old'], expire: '1h' },
];

interface Session {
  readonly kind: Kind;
  readonly id: string;
  readonly rows: readonly number[];
}

interface Field {
  readonly database: TestDatabase;
  /** Prepares and looks, and follows no rules. */
  readonly rest: TestRest;
}

export async function openRuleKills(): Promise<Arena> {
  const database = await createTestDatabase({ template: 'migrated' });
  await database.query('CREATE TABLE account (id serial PRIMARY KEY, balance int NOT NULL)');
  const field = { database, rest: await startTestRest({ database }) };
  for (const { projects } of rules)
    await demand(field.rest, '/sessions', 201, { project_id: projects[0] });
  const headers = { 'if-match': '*' };
  const { status, text } = await field.rest.call('PUT', '/policy', {
    json: { document: { rules } },
    headers,
  });
  if (status !== 200) throw new Error(text);
  const daemons: SpawnedDaemon[] = [await start(database), await start(database)];
  return {
    round: (random) => round(field, daemons, random),
    close: async () => {
      const { body } = await field.rest.call('GET', '/audit/verify');
      for (const daemon of daemons) await daemon.kill();
      await field.rest.stop();
      await database.drop();
      return body.ok === true ? [] : [`the audit is not whole: ${JSON.stringify(body)}`];
    },
  };
}

const start = ({ url }: TestDatabase) => spawnDaemon(url, { settings: { maxConnections: 40 } });

/** Stages three rows in a new session of a project, and proposes it. */
async function prepare({ database, rest }: Field, kind: Kind): Promise<Session> {
  const rows = await newRows(database);
  const id = await staged(rest, rows, kind);
  await demand(rest, `/sessions/${id}/propose`, 200);
  return { kind, id, rows };
}

async function newRows(database: TestDatabase): Promise<number[]> {
  const rows = await database.query<{ id: number }>(
    'INSERT INTO account (balance) VALUES (0), (0), (0) RETURNING id',
  );
  return rows.map(({ id }) => id);
}

async function staged(rest: TestRest, rows: readonly number[], project: string): Promise<string> {
  const { body } = await rest.call('POST', '/sessions', { json: { project_id: project } });
  await rest.write(
    body.session_id,
    `UPDATE account SET balance = balance + 1 WHERE id IN (${rows.join()})`,
  );
  return String(body.session_id);
}

async function demand(rest: TestRest, path: string, wanted: number, json: object = {}) {
  const { status, text } = await rest.call('POST', path, { json });
  if (status !== wanted) throw new Error(`${path}: ${text}`);
}

/** Makes all sessions due at once. Those of the policy wait for their proposal. */
async function release({ database }: Field, sessions: readonly Session[]): Promise<void> {
  const ids = sessions.filter(({ kind }) => kind !== 'auto').map(({ id }) => id.slice(5));
  await database.query(
    `UPDATE stage.session SET apply_at = apply_at - interval '2 hours', proposed_at = proposed_at - interval '2 hours' WHERE id = ANY ($1)`,
    [ids],
  );
}

async function round(field: Field, daemons: SpawnedDaemon[], random: Random): Promise<Outcome> {
  const { rest } = field;
  const sessions: Session[] = [];
  for (const kind of ['scheduled', 'old'] as const)
    for (let count = 0; count < each; count += 1) sessions.push(await prepare(field, kind));
  const at = new Date(Date.now() + 3_600_000).toISOString();
  for (const { kind, id } of sessions)
    if (kind === 'scheduled') await demand(rest, `/sessions/${id}/approve`, 202, { at });
  const rows = await newRows(field.database);
  const whole = await staged(rest, rows, 'split');
  for (let count = 0; count < each; count += 1) sessions.push(await prepare(field, 'auto'));
  await release(field, sessions);
  const counts = await killing(daemons, random, whole, rows);
  for (const [index, daemon] of daemons.entries())
    if (daemon.child.signalCode !== null) daemons[index] = await start(field.database);
  const wrong: string[] = [];
  for (const session of sessions) {
    const found = await decided(field, session);
    counts.push(`${session.kind} ${found}`);
    if (found !== ends[session.kind]) wrong.push(`${session.kind} ${session.id}: ${found}`);
  }
  const split = await splitState(field, whole);
  counts.push(`split ${split}`);
  if (!['3 0', '2 1'].includes(split)) wrong.push(`split ${whole}: ${split}`);
  wrong.push(...(await brokenInvariants(field.database)));
  await forget(field, whole);
  return { label: `round of ${kinds.join(', ')}`, counts, anomalies: wrong };
}

/** Splits a session through a daemon, and kills one or two at moments of the next seconds. Returns the texts to count. */
async function killing(
  daemons: readonly SpawnedDaemon[],
  random: Random,
  whole: string,
  rows: readonly number[],
): Promise<string[]> {
  const only = [{ table: 'account', row_id: rows[0] }];
  const moments = daemons.map(() => random.below(2_600));
  const victims = daemons.filter((_, index) => index === 0 || random.chance(0.8));
  const splitter = random.pick(victims);
  // the split is under way when its daemon is killed, about every other time
  const splitAt = Math.max(0, (moments[daemons.indexOf(splitter)] ?? 0) - random.below(900));
  const splitting = delay(splitAt).then(() =>
    callHttp(splitter.restUrl, 'POST', `/sessions/${whole}/split`, { json: { only } }).then(
      ({ status }) => `split answered ${status}`,
      () => 'split not answered',
    ),
  );
  const killed = victims.map(async (daemon) => {
    await delay(moments[daemons.indexOf(daemon)] ?? 0);
    await daemon.kill();
  });
  await Promise.all(killed);
  return [await splitting, `killed ${victims.length}`];
}

/** Waits until a session is decided. Returns what is found of it. */
async function decided({ database }: Field, { id, rows, kind }: Session): Promise<string> {
  const find = async () => {
    const [row] = await database.query<{ found: string; status: string }>(
      `SELECT s.status, s.status || ' ' || (SELECT sum(balance) FROM account WHERE id = ANY ($2)) || ' '
         || (SELECT count(*) FROM stage.approval a WHERE a.session = s.id) || ' '
         || (SELECT coalesce(string_agg(e.kind, '+'), 'none') FROM stage.event e WHERE e.session = s.id AND e.kind IN ('approved', 'rejected', 'expired')) AS found
       FROM stage.session s WHERE s.id = $1`,
      [id.slice(5), rows],
    );
    return row;
  };
  let last = await find();
  await patiently(async () => {
    last = await find();
    if (last?.status === 'proposed') throw new Error(`${kind} ${id} is not decided`);
  }).catch(() => undefined);
  return last?.found ?? 'none';
}

/** Returns how many rows are staged in the session, and in what was split from it. */
async function splitState({ database }: Field, id: string): Promise<string> {
  const [row] = await database.query<{ found: string }>(
    `SELECT (SELECT count(*) FROM stage_data.shadow_${await relation(database)} v WHERE v._stage_session = $1) || ' '
       || (SELECT count(*) FROM stage_data.shadow_${await relation(database)} v JOIN stage.session s ON s.id = v._stage_session WHERE s.split_from = $1) AS found`,
    [id.slice(5)],
  );
  return String(row?.found);
}

async function relation(database: TestDatabase): Promise<number> {
  const [row] = await database.query<{ oid: number }>(
    `SELECT 'account'::regclass::oid::int AS oid`,
  );
  return row?.oid ?? 0;
}

/** Deletes the sessions of a split. */
async function forget({ database, rest }: Field, whole: string): Promise<void> {
  const parts = await database.query<{ id: string }>(
    `SELECT 'sess_' || replace(id::text, '-', '') AS id FROM stage.session WHERE split_from = $1`,
    [whole.slice(5)],
  );
  for (const id of [whole, ...parts.map((part) => part.id)])
    await patiently(async () => {
      const { status } = await rest.call('DELETE', `/sessions/${id}`);
      if (status !== 200 && status !== 204 && status !== 404) throw new Error(String(status));
    });
}
