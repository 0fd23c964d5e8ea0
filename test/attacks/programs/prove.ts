/**
 * Suites of programs: in every role and form, production does not change, and nothing acknowledged is lost. The forms alternate over the
 * roles, and one role has two. `STAGE_TEST_FORMS=all npm test -- attacks/programs` sends each form as every role.
 */
import pg from 'pg';
import { sendsAll } from '../../helpers/forms.ts';
import { rawWrites } from '../../helpers/raw-writes.ts';
import type { RecordingUpstream } from '../../helpers/recording-upstream.ts';
import { startRecordingUpstream } from '../../helpers/recording-upstream.ts';
import { assert, suite } from '../../helpers/suite.ts';
import { q, runScriptOn, s } from '../../helpers/wire-script.ts';
import { fingerprint } from '../fingerprint.ts';
import { acknowledgedRows, stagedRows } from './acknowledged.ts';
import type { ChangeLog } from './change-log.ts';
import { openChangeLog } from './change-log.ts';
import type { Connections } from './connections.ts';
import { openConnections } from './connections.ts';
import type { Program, ProgramGroup, ProgramRole } from './program.ts';
import { everyRole, formsOf, undoing } from './program.ts';
import type { Target } from './target.ts';
import { startTarget } from './target.ts';

interface Prepared {
  readonly group: ProgramGroup;
  readonly target: Target;
  upstream: RecordingUpstream;
  readonly log: ChangeLog;
  readonly connections: Connections;
  before: readonly string[];
  /** The number of programs that have run. */
  turn: number;
}

/** Defines the suite of a group, with one test for each program. */
export function prove(group: ProgramGroup): void {
  suite(group.name, (test) => {
    const prepared = {} as Prepared;
    test.before(async () => {
      const target = await startTarget(group, async (database) => {
        prepared.upstream = await startRecordingUpstream(database);
        return prepared.upstream.urlFor(database);
      });
      const log = await openChangeLog(target.database);
      const before = await fingerprint(target.database);
      const connections = openConnections(target);
      Object.assign(prepared, { group, target, log, connections, before, turn: 0 });
    });
    test.after(async () => {
      prepared.connections.close();
      await prepared.log.close();
      await prepared.target.stop();
      await prepared.upstream.stop();
    });

    for (const program of group.programs) {
      test(program.name, () => hold(prepared, program), { timeout: 60_000 });
    }
    const { found } = group;
    if (found) {
      test(
        'what the database itself tells',
        async () => {
          for (const program of await found((text) => prepared.target.database.query(text)))
            await hold(prepared, program);
        },
        { timeout: 120_000 },
      );
    }
    test('and the next client is answered', async () => {
      assert.is(await nextAnswer(prepared), 1);
    });
    test('and no write was sent there as it came', () => {
      const sent = prepared.upstream.take();
      const raw = sent.filter((text) => rawWrites(text).length > 0);
      assert.ok(sent.length > 0 && raw.length === 0, raw.join('\n').slice(0, 2000));
    });
    test('and the log of changes shows none of production', async () => {
      assert.equal(await prepared.log.changes(), []);
    });
  });
}

interface Run {
  readonly program: Program;
  readonly role: ProgramRole;
  readonly form: string;
  readonly messages: readonly Buffer[];
}

/** Runs a program as all roles at once; if that finds a fault, one after the other. */
async function hold(prepared: Prepared, program: Program): Promise<void> {
  const { target } = prepared;
  const turn = prepared.turn++;
  const roles = program.roles ?? everyRole;
  const runs = roles.flatMap((role, at) =>
    formsOf(program, target.oid)
      .map(([form, messages]): Run => ({ program, role, form, messages }))
      .filter((_, nth, { length }) => {
        const chosen = at === turn % roles.length ? [turn + at, turn + at + 2] : [turn + at];
        return sendsAll || chosen.some((each) => each % length === nth);
      }),
  );
  const reported = await Promise.all(runs.map((run) => carryOut(prepared, run)));
  const breaches = [...reported.flat(), ...(await changesOf(prepared))];
  if (breaches.length > 0) breaches.push(await firstAlone(prepared, runs));
  assert.ok(breaches.length === 0, `${program.name}\n${breaches.join('\n')}`);
}

/** Runs them one after the other, and returns a report of the first with a fault. */
async function firstAlone(prepared: Prepared, runs: readonly Run[]): Promise<string> {
  for (const run of runs) {
    const found = [...(await carryOut(prepared, run)), ...(await changesOf(prepared))];
    if (found.length > 0) return `alone as ${run.role}, in ${run.form}: ${found.join('; ')}`;
  }
  return 'none alone';
}

/** Runs a program in a session without staged rows, and returns the faults in the responses. */
async function carryOut({ target, connections }: Prepared, run: Run): Promise<string[]> {
  const { program, role, messages } = run;
  const connection = await connections.take(role, program.options).catch(refusedLogin);
  if (!('client' in connection)) return program.isRefused ? passed(connection) : [];
  const { client, session } = connection;
  const answers = await runScriptOn(client, [...messages, s, q('ROLLBACK')]);
  const breaches: string[] = [];
  const reported = acknowledgedRows(answers);
  const staged = await stagedRows(target.daemon, session);
  if (reported > staged) breaches.push(`${reported} rows acknowledged, ${staged} staged`);
  if (answers.at(-1) !== 'closed' && !answers.includes('Z I')) breaches.push('no end');
  if (program.isRefused) breaches.push(...passed(answers));
  const isUnchanged = staged === 0 && answers.at(-1) !== 'closed' && program.options === undefined;
  await (isUnchanged ? connections.giveBack(connection) : client.close());
  return breaches;
}

/** Returns the changes in production, and undoes them. */
async function changesOf(prepared: Prepared): Promise<string[]> {
  const { database } = prepared.target;
  const after = await fingerprint(database);
  const changed = after.filter((line) => !prepared.before.includes(line));
  if (changed.length === 0 && after.length === prepared.before.length) return [];
  await database.query(undoing);
  prepared.before = await fingerprint(database);
  return [`production changed: ${changed.join(' / ').slice(0, 300)}`];
}

/** Returns the responses to start-up options that the server refuses. Then nothing ran. */
const refusedLogin = (error: Error): string[] => [`E ${error.message}`, 'closed'];

/** Returns the responses that report success, or an error other than a refusal, up to the last queries, which are not the program's. */
function passed(answers: readonly string[]): string[] {
  const end = answers.findLastIndex((answer) => answer.startsWith('C ROLLBACK'));
  return answers
    .slice(0, end)
    .filter((answer) => /^[CE] /.test(answer) && !/ C=(0A000|25P02) /.test(answer))
    .filter((answer) => !/^C (BEGIN|PREPARE|DEALLOCATE)/.test(answer))
    .map((answer) => `passed: ${answer}`);
}

/** Returns the daemon's response to the next client. */
async function nextAnswer({ group, target }: Prepared): Promise<unknown> {
  const { url } = await target.session('superuser');
  const client = new pg.Client({ connectionString: url });
  const refusal = await client.connect().then(
    () => null,
    (error: pg.DatabaseError) => error,
  );
  if (refusal) return group.mayRefuseLogins && refusal.code ? 1 : refusal.message;
  const { rows } = await client.query('SELECT 1 AS one');
  await client.end();
  return rows[0].one;
}
