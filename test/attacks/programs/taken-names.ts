/** Names of statements that code has freed, or taken, without the proxy's knowledge. */
import { b, e, h, p, q, run, s } from '../../helpers/wire-script.ts';
import type { Program, ProgramGroup } from './program.ts';
import { functions } from './program.ts';

const insert = (id: number) => `INSERT INTO t VALUES (${id}, 'x')`;
const free = `SELECT anything('DEALLOCATE taken')`;
const read = 'SELECT 1';

/** The messages that use the statement of that name afterwards. */
const uses = [b([], 'taken'), e(), s, q('BEGIN'), b([], 'taken'), e(), s, q('COMMIT')];

const attempts: Readonly<Record<string, readonly Buffer[]>> = {
  'freed before a write takes it': [
    p(read, 'taken'),
    s,
    q(free),
    p(insert(6001), 'taken'),
    s,
    ...uses,
  ],
  'freed in the same batch': [p(read, 'taken'), run(free), p(insert(6002), 'taken'), s, ...uses],
  'freed in a transaction': [
    ...[p(read, 'taken'), s, q('BEGIN'), q(free), p(insert(6003), 'taken'), s],
    ...[b([], 'taken'), e(), s, q('COMMIT'), ...uses],
  ],
  'freed in a transaction that is READ ONLY': [
    ...[p(read, 'taken'), s, q('BEGIN READ ONLY'), q(free), p(insert(6004), 'taken'), s],
    ...[q('COMMIT'), ...uses],
  ],
  'freed behind a staged write': [
    ...[p(read, 'taken'), s, q('BEGIN'), q(insert(6005)), run(free), p(insert(6006), 'taken')],
    ...[b([], 'taken'), e(), s, q('COMMIT'), ...uses],
  ],
  'freed before Flush': [
    ...[
      p(read, 'taken'),
      run(free),
      h,
      p(insert(6007), 'taken'),
      h,
      b([], 'taken'),
      e(),
      s,
      ...uses,
    ],
  ],
  'freed of a write': [
    ...[p(insert(6008), 'taken'), s, b([], 'taken'), e(), s, q(free)],
    ...[p(`DELETE FROM t WHERE id = 1`, 'taken'), s, ...uses],
  ],
  'freed of what SQL prepared': [
    ...[q(`PREPARE taken AS ${read}`), q(free), q(`PREPARE taken AS ${insert(6009)}`)],
    ...[q('EXECUTE taken'), q('BEGIN'), q('EXECUTE taken'), q('COMMIT'), ...uses],
  ],
  'freed by SQL in a failed batch': [
    ...[p(read, 'taken'), s, run('SELECT 1/0'), run('DEALLOCATE taken'), s],
    ...[p(insert(6010), 'taken'), s, ...uses],
  ],
  'freed by DISCARD in a failed batch': [
    ...[p(read, 'taken'), s, run('SELECT 1/0'), run('DISCARD ALL'), s],
    ...[p(insert(6011), 'taken'), s, ...uses],
  ],
  'taken by code': [
    ...[q(`SELECT anything('PREPARE taken AS SELECT wr(''x'')')`), p(insert(6012), 'taken'), s],
    ...uses,
  ],
};

const programs: readonly Program[] = Object.entries(attempts).map(([name, messages]) => ({
  name,
  steps: () => messages,
}));

export const takenNames: ProgramGroup = { name: 'taken names', objects: functions, programs };
