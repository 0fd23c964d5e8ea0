/** Random programs: messages of one connection, simple and extended, with or without a Sync at the end of a batch. */
import type { ReadsMode } from '../../../src/model/session.ts';
import type { Random } from '../../helpers/random.ts';
import { createRandom } from '../../helpers/random.ts';
import type { Course } from './course.ts';
import { newCourse } from './course.ts';
import { passage } from './passages.ts';
import { freeName, preparedName, read, statement, write } from './random-statements.ts';
import type { Said } from './said.ts';
import { bind, close, describe, execute, flush, parse, query, sync, withRows } from './said.ts';

export type Role = 'reader' | 'writer' | 'superuser';

export interface Program {
  readonly seed: number;
  readonly role: Role;
  /** The session's read mode. */
  readonly reads: ReadsMode;
  readonly said: readonly Said[];
}

/** Returns the program of a seed: the same in every run. */
export function randomProgram(seed: number): Program {
  const random = createRandom(seed);
  const role = random.pick(['reader', 'writer', 'writer', 'superuser'] as const);
  const course = newCourse(random);
  const said: Said[] = [];
  const count = 2 + random.below(6);
  for (let batch = 0; batch < count; batch += 1) {
    if (random.chance(0.4)) said.push(...passage(course));
    else said.push(...(random.chance(0.6) ? simple(course) : extended(course)));
  }
  const readsAtOnce = said.some(({ words }) => words.includes('FROM lifts'));
  const reads = readsAtOnce && random.chance(0.7) ? 'production' : 'staged';
  return { seed, role, reads, said };
}

function simple(course: Course): Said[] {
  const { random } = course;
  if (random.chance(0.05)) return [withRows(query('COPY note FROM STDIN'))];
  const count = random.chance(0.3) ? 2 + random.below(3) : 1;
  return [query(Array.from({ length: count }, () => statement(course)).join('; '))];
}

const portals = ['', '', '', 'c', 'o', 'o', 'p', 'p', `${'o'.repeat(63)}x`];

/** Returns a statement from Parse to Execute, or a part of these messages. */
function steps(course: Course): Said[] {
  const { random, prepared } = course;
  const portal = random.pick(portals);
  const name = () => (random.chance(0.1) ? '' : preparedName(course));
  const prepare = () => {
    const free = freeName(course);
    prepared.add(free);
    return [parse(random.pick([write, write, read])(course), free), ...some(random, sync)];
  };
  const whole = () => [parse(statement(course), ''), bind('', ''), execute('')];
  const again = () => [bind(name(), portal), execute(portal)];
  const odd = [
    () => [bind(name(), portal), ...some(random, sync)],
    () => [execute(portal, random.below(2))],
    () => [close('portal', portal)],
    () => [describe('statement', name())],
    () => [parse('COPY note FROM STDIN', ''), bind('', ''), withRows(execute(''))],
    () => {
      const gone = preparedName(course);
      prepared.delete(gone);
      return [close('statement', gone)];
    },
  ];
  if (random.chance(0.2)) return random.pick(odd)();
  if (prepared.size > 0 && random.chance(0.4)) return again();
  return random.chance(0.3) ? prepare() : whole();
}

const some = (random: Random, one: Said): Said[] => (random.chance(0.3) ? [one] : []);

function extended(course: Course): Said[] {
  const { random } = course;
  const count = random.chance(0.5) ? 1 : 2 + random.below(4);
  const said = Array.from({ length: count }, () => [
    ...steps(course),
    ...some(random, flush),
  ]).flat();
  return random.chance(0.99) ? [...said, sync] : said;
}
