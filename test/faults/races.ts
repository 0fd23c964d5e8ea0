/** Races for one session, or for one row, through two daemons: one of two wins, and the other one is told. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { Random } from '../helpers/random.ts';
import type { Arena, Outcome } from './arena.ts';
import type { Scene } from './scene.ts';
import { openScene, patiently, preparationMs } from './scene.ts';

/** A session with three staged rows, and the racers. */
interface Field {
  readonly scene: Scene;
  readonly daemons: readonly [TestDaemon, TestDaemon];
  readonly session: string;
  readonly rows: readonly number[];
  /** A client of the session on the second daemon. */
  readonly client: pg.Client;
}

interface Race {
  readonly from: 'active' | 'proposed';
  /** The actions of the two. Each returns its response. */
  readonly first: (field: Field) => Promise<string>;
  readonly second: (field: Field) => Promise<string>;
  /** The winner, by both responses and the state of the database. All other combinations are wrong. */
  readonly wins: Readonly<Record<string, 'first' | 'second'>>;
}

const ask = (which: 0 | 1, method: string, path: string) => async (field: Field) => {
  const { status, body } = await field.daemons[which].call(
    method,
    `/sessions/${field.session}${path}`,
    { json: {} },
  );
  return status < 300 ? 'done' : `${status} ${body.error}`;
};
const run = (client: (field: Field) => Pick<pg.Client, 'query'>, by: number) => (field: Field) =>
  client(field)
    .query(`UPDATE account SET balance = balance + ${by} WHERE id IN (${field.rows.join()})`)
    .then(
      () => 'done',
      ({ code }: { readonly code?: string }) => String(code),
    );
const approve = ask(0, 'POST', '/approve');
const late = '409 invalid_transition';

const races: Readonly<Record<string, Race>> = {
  'approve x approve': {
    from: 'proposed',
    first: approve,
    second: ask(1, 'POST', '/approve'),
    wins: {
      [`done, ${late}: approved 1 0 3 111`]: 'first',
      [`${late}, done: approved 1 0 3 111`]: 'second',
    },
  },
  'approve x reject': {
    from: 'proposed',
    first: approve,
    second: ask(1, 'POST', '/reject'),
    wins: {
      [`done, ${late}: approved 1 0 3 111`]: 'first',
      [`${late}, done: rejected 1 0 0 000`]: 'second',
    },
  },
  'approve x delete': {
    from: 'proposed',
    first: approve,
    second: ask(1, 'DELETE', ''),
    wins: {
      [`done, ${late}: approved 1 0 3 111`]: 'first',
      '404 session_not_found, done: none 0 0 0 000': 'second',
    },
  },
  'propose x write': {
    from: 'active',
    first: ask(0, 'POST', '/propose'),
    second: run(({ client }) => client, 1),
    wins: {
      'done, 25006: proposed 1 3 0 000': 'first',
      'done, done: proposed 2 6 0 000': 'second',
    },
  },
  'approve x production write': {
    from: 'proposed',
    first: approve,
    second: run(({ scene }) => scene.database as unknown as pg.Client, 10),
    wins: {
      'done, done: approved 1 0 3 111111': 'first',
      '409 conflict_detected, done: proposed 1 3 0 101010': 'second',
    },
  },
};

const look = (relation: number) => `
SELECT coalesce((SELECT s.status || ' ' || coalesce(s.mutation_count, -1) FROM stage.session s WHERE s.id = $1), 'none 0') || ' '
  || (SELECT count(*) FROM stage_data.shadow_${relation} v WHERE v._stage_session = $1) || ' '
  || (SELECT count(*) FROM stage.audit a WHERE a.session = $1) || ' '
  || (SELECT string_agg(balance::text, '' ORDER BY id) FROM account WHERE id = ANY ($2)) AS found`;

/** The step by which a racer's start is moved when the other one has won, so that both win about equally often. */
const stepMs = 8;
const spreadMs = 30;
/** The states before the race, and after a write. */
const untouched = ['active -1 3 0 000', 'active -1 6 0 000', 'proposed 1 3 0 000'];

/** On an overloaded machine one racer may time out waiting for the other, or a daemon for PostgreSQL. Then it must have done nothing. */
function isTooSlow({ wins }: Race, answers: readonly string[], found: string): boolean {
  const states = [...untouched, ...Object.keys(wins).map((reported) => reported.split(': ')[1])];
  return answers.some((answer) => /^(503|409 session_busy)/.test(answer)) && states.includes(found);
}

/** The number of rounds after which the audit is verified, as well as at the end. */
const betweenLooks = 50;

export async function openRaces(): Promise<Arena> {
  const scene = await openScene();
  const flags = { maxConnections: 40 };
  const second = await startTestDaemon({ database: scene.database, flags });
  const daemons = [scene.healthy, second] as const;
  const [row] = await scene.database.query<{ oid: number }>(
    `SELECT 'account'::regclass::oid::int AS oid`,
  );
  /** How much later the second one starts. */
  const offsets = new Map<string, number>();
  let played = 0;
  const runRace = async (name: string, race: Race, random: Random): Promise<Outcome> => {
    const field = await patiently(() => prepare(scene, daemons, race), preparationMs);
    const offset = offsets.get(name) ?? 0;
    const drawn = offset + random.below(2 * spreadMs) - spreadMs;
    const answers = await Promise.all([
      delay(Math.max(0, -drawn)).then(() => race.first(field)),
      delay(Math.max(0, drawn)).then(() => race.second(field)),
    ]);
    await field.client.end();
    const values = [field.session.slice('sess_'.length), field.rows];
    const [state] = await scene.database.query<{ found: string }>(look(row?.oid ?? 0), values);
    const found = String(state?.found);
    const reported = `${answers.join(', ')}: ${found}`;
    const winner = race.wins[reported];
    const isRight = winner !== undefined || isTooSlow(race, answers, found);
    // the winner starts later the next time
    offsets.set(name, offset + (winner === 'second' ? stepMs : -stepMs));
    played += 1;
    const audit = played % betweenLooks === 0 ? await scene.verify() : [];
    return {
      label: `${name}, the second one ${drawn} ms later`,
      counts: [winner === undefined ? `${name}: ${reported}` : `${name}: the ${winner} one won`],
      anomalies: [...(isRight ? [] : [`${name}: ${reported}`]), ...audit],
    };
  };
  const names = Object.keys(races);
  return {
    round: (random) => {
      const name = names[played % names.length] ?? '';
      return runRace(name, races[name] as Race, random);
    },
    close: async () => {
      const left = await scene.verify();
      await second.stop();
      await scene.close();
      return left;
    },
  };
}

async function prepare(scene: Scene, daemons: Field['daemons'], { from }: Race): Promise<Field> {
  const rows = await scene.newRows();
  const session = await scene.healthy.newSession();
  const client = new pg.Client({ connectionString: daemons[1].clientUrl(session) });
  await client.connect();
  const field = { scene, daemons, session, rows, client };
  const said = [await run(() => client, 1)(field)];
  if (from === 'proposed') said.push(await ask(0, 'POST', '/propose')(field));
  if (said.every((each) => each === 'done')) return field;
  await client.end();
  throw new Error(`not prepared: ${said}`);
}
