/**
 * Kills of daemons while they follow the rules of review: two daemons on one database apply scheduled approvals, approve by the policy,
 * reject what is too old, and split sessions. Any of them dies by SIGKILL, mostly while one of them works on a session, and is started again,
 * several times in a round. In the end each session is decided once, and each of its rows is in production once, or nowhere; the rows of a
 * split are staged once, in one of two sessions.
 */
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { brokenInvariants } from '../helpers/invariants.ts';
import type { Random } from '../helpers/random.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import type { SpawnedDaemon } from '../helpers/spawned-daemon.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import type { Arena, Outcome } from './arena.ts';
import { strike } from './rule-strikes.ts';
import { patiently, preparationMs } from './scene.ts';

/** The work of daemons on a session, with its state in the end, the balance of its three rows, and how often it was decided. */
const ends = {
  scheduled: 'approved 3 1 approved',
  auto: 'approved 3 1 approved',
  old: 'rejected 0 0 expired',
} as const;
type Kind = keyof typeof ends;
const kinds = Object.keys(ends) as Kind[];

const rules = [
  {
    name: 'auto',
    projects: ['auto'],
    auto_approve: {
      max_rows: 3,
      operations: ['update'],
      flags: ['share_of_table', 'overlap', 'beyond_production'],
    },
  },
  { name: 'old', projects: ['old'], expire: '1h' },
];

interface Session {
  readonly kind: Kind;
  readonly id: string;
  readonly rows: readonly number[];
}

interface Wave {
  readonly sessions: Session[];
  /** The session that is split, and its rows. */
  readonly whole: string;
  readonly rows: readonly number[];
}

interface Field {
  readonly database: TestDatabase;
  /** Prepares and looks, and follows no rules. */
  readonly rest: TestRest;
}

/** @param waves how often daemons are killed in a round; each time one session of each kind is due, and one is split */
export async function openRuleKills(waves = 3): Promise<Arena> {
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
    round: (random) => round(field, daemons, random, waves),
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

/** Prepares sessions that become due together. */
async function prepareWave(field: Field): Promise<Wave> {
  const scheduled = await prepare(field, 'scheduled');
  const at = new Date(Date.now() + 3_600_000).toISOString();
  await demand(field.rest, `/sessions/${scheduled.id}/approve`, 202, { at });
  const old = await prepare(field, 'old');
  const rows = await newRows(field.database);
  return { sessions: [scheduled, old], whole: await staged(field.rest, rows, 'split'), rows };
}

/** Makes the sessions due at once, and proposes one that the policy approves. */
async function release(field: Field, { sessions }: Wave): Promise<void> {
  const ids = sessions.map(({ id }) => id.slice(5));
  sessions.push(await prepare(field, 'auto'));
  await field.database.query(
    `UPDATE stage.session SET apply_at = apply_at - interval '2 hours', proposed_at = proposed_at - interval '2 hours' WHERE id = ANY ($1)`,
    [ids],
  );
}

async function round(
  field: Field,
  daemons: SpawnedDaemon[],
  random: Random,
  count: number,
): Promise<Outcome> {
  const waves: Wave[] = [];
  while (waves.length < count) waves.push(await prepareWave(field));
  const counts: string[] = [];
  for (const wave of waves) {
    await release(field, wave);
    counts.push(...(await strike(field.database, daemons, random, wave)));
    const started = daemons.map((daemon) =>
      daemon.child.signalCode === null ? daemon : start(field.database),
    );
    daemons.splice(0, daemons.length, ...(await Promise.all(started)));
  }
  const wrong: string[] = [];
  for (const wave of waves) wrong.push(...(await faultsOf(field, wave, counts)));
  wrong.push(...(await brokenInvariants(field.database)));
  for (const { whole } of waves) await forget(field, whole);
  return { label: `round of ${kinds.join(', ')}`, counts, anomalies: wrong };
}

/** Waits until the sessions are decided. Returns what is wrong. */
async function faultsOf(field: Field, wave: Wave, counts: string[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const session of wave.sessions) {
    const found = await decided(field, session);
    counts.push(`${session.kind} ${found}`);
    if (found !== ends[session.kind]) wrong.push(`${session.kind} ${session.id}: ${found}`);
  }
  const split = await splitState(field, wave.whole);
  counts.push(`split ${split}`);
  if (!['3 0', '2 1'].includes(split)) wrong.push(`split ${wave.whole}: ${split}`);
  return wrong;
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
  }, preparationMs).catch(() => undefined);
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
