/** Random passages. Each of their steps mostly succeeds, and what they test shows only at their end. */
import type { Random } from '../../helpers/random.ts';
import type { Course } from './course.ts';
import { follow } from './course.ts';
import { plant, write } from './random-statements.ts';
import type { Said } from './said.ts';
import { bind, close, execute, parse, query, sync } from './said.ts';

/** Returns a passage. It begins outside of any transaction. */
export function passage(course: Course): Said[] {
  const { random } = course;
  const usual = [access, access, access, access, access, names, portals, planted];
  const kind = random.chance(0.08) ? reads : random.pick(usual);
  if (course.isOpen) follow(course, 'ROLLBACK');
  return [query('ROLLBACK'), ...kind(course)];
}

/** Sends statements in one of the forms. */
function sent(random: Random, texts: readonly string[]): Said[] {
  const run = (text: string) => [parse(text, ''), bind('', ''), execute('')];
  return random.pick([
    () => texts.map(query),
    () => [query(texts.join('; '))],
    () => texts.flatMap((text) => [...run(text), sync]),
    () => [...texts.flatMap(run), sync],
    () => texts.flatMap((text) => (random.chance(0.5) ? [query(text)] : [...run(text), sync])),
  ])();
}

const openings = [
  'BEGIN',
  'BEGIN',
  'BEGIN READ ONLY',
  'START TRANSACTION READ ONLY',
  'BEGIN READ WRITE',
];
const turns = [
  ...['BEGIN READ WRITE', 'START TRANSACTION READ WRITE', 'BEGIN READ ONLY', 'BEGIN'],
  ...['BEGIN READ ONLY, READ WRITE', 'SET TRANSACTION READ ONLY', 'SET TRANSACTION READ ONLY'],
  ...['SET TRANSACTION READ WRITE', 'SET LOCAL transaction_read_only = on'],
  ...[`SELECT set_config('transaction_read_only', 'on', true)`, 'SAVEPOINT p', 'SAVEPOINT p'],
  ...[
    'SET transaction_read_only = on',
    'SAVEPOINT q',
    'RELEASE p',
    'ROLLBACK TO p',
    'ROLLBACK TO q',
  ],
  ...['ROLLBACK AND CHAIN', 'ROLLBACK AND CHAIN', 'COMMIT AND CHAIN', 'SELECT 1', 'SELECT 1/0'],
];

/** Returns a transaction whose access alternates, then a write, then its end. */
function access(course: Course): Said[] {
  const { random } = course;
  const texts: string[] = [random.pick(openings)];
  const isSet = (text: string) => / [pq]$/.test(text) && !text.startsWith('SAVEPOINT');
  for (let left = 1 + random.below(5); left > 0; left -= 1) {
    const turn = random.pick(turns);
    if (!isSet(turn) || texts.includes(`SAVEPOINT ${turn.slice(-1)}`)) texts.push(turn);
  }
  const last = random.chance(0.8) ? write(course) : `SELECT wr_def('passage')`;
  return sent(random, [...texts, last, random.pick(['COMMIT', 'COMMIT', 'END', 'ROLLBACK'])]);
}

const longNames = ['n', 'nx', 'ny', 'nxx'].map((end) => `${'n'.repeat(62)}${end}`);
const shortNames = ['m', 'mx'];

/** Prepares, closes and executes two names that may be one, where writing is possible, and where it is not. */
function names(course: Course): Said[] {
  const { random } = course;
  const some = random.pick([longNames, shortNames]);
  const pair = [random.pick(some), random.pick(some)];
  const name = () => random.pick(pair);
  const [first, second] = [name(), name()];
  const use = (which: string) => [bind(which, ''), execute(''), sync];
  return [
    ...[parse(write(course), first), sync, ...use(first), close('statement', second), sync],
    ...[query('BEGIN READ ONLY'), parse(write(course), second), sync],
    ...[query(random.pick(['COMMIT', 'ROLLBACK'])), ...use(name()), ...use(name())],
    ...[query('BEGIN'), ...use(name()), query('COMMIT'), close('statement', name()), sync],
  ];
}

const longPortals = ['o', 'ox', 'oy'].map((end) => `${'o'.repeat(62)}${end}`);

/** Binds a staged write, and may execute something else. */
function portals(course: Course): Said[] {
  const { random } = course;
  const some = random.pick([longPortals, ['s', 't']]);
  const portal = () => random.pick(some);
  const [bound, other] = [portal(), portal()];
  return [
    ...[query(`PREPARE r AS SELECT wr('passage')`), parse(write(course), 'w'), sync],
    ...[parse('EXECUTE r', 'x'), sync, query('BEGIN'), bind('w', bound), close('portal', other)],
    ...[bind(random.pick(['x', 'w']), other), execute(bound), sync, query('COMMIT')],
    ...[query('DEALLOCATE r'), close('statement', 'w'), close('statement', 'x'), sync],
  ];
}

const preparedReads = {
  l: 'SELECT v FROM lifts',
  w: 'SELECT v FROM writes',
  t: 'SELECT id, v FROM t ORDER BY id',
} as const;

/** Returns batches of reads that are sent at once. Some reads change the settings of the next ones. */
function reads(course: Course): Said[] {
  const { random } = course;
  const prepared = Object.entries(preparedReads);
  const batches = Array.from({ length: 3 + random.below(6) }, () =>
    random.chance(0.1)
      ? [query(random.pick([write(course), 'BEGIN', 'COMMIT']))]
      : [bind(random.pick(prepared)[0], ''), execute(''), sync],
  );
  return [
    ...[...prepared.map(([name, text]) => parse(text, name)), sync, ...batches.flat()],
    ...[query('ROLLBACK'), ...prepared.map(([name]) => close('statement', name)), sync],
  ];
}

/** Lets code replace a known statement. */
function planted({ random, ...course }: Course): Said[] {
  const called = random.pick(['w1', 'w2']);
  const texts = [
    ...[`PREPARE ${called} AS ${write({ random, ...course })}`, 'BEGIN', `EXECUTE ${called}`],
    ...[plant(random, `DEALLOCATE ${called}`)],
    ...[plant(random, `PREPARE ${called} AS INSERT INTO public.note VALUES ('planted')`)],
    ...[`EXECUTE ${called}`, 'COMMIT', `DEALLOCATE ${called}`],
  ];
  return sent(random, texts);
}
