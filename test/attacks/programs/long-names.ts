/**
 * Names of statements and portals that are one name for the server, which truncates them at 63 bytes, and two for a proxy that does not.
 */
import { b, c, d, e, p, q, s } from '../../helpers/wire-script.ts';
import type { Program, ProgramGroup } from './program.ts';
import { functions } from './program.ts';

const a = (bytes: number) => 'a'.repeat(bytes);

/** Pairs of names. A letter of several bytes at the cut is cut in two, so letters that begin with the same bytes become one. */
const pairs: Readonly<Record<string, readonly [string, string]>> = {
  '63 and 64 bytes': [a(63), a(64)],
  '64 and 63 bytes': [a(64), a(63)],
  '64 and 65 bytes': [a(64), a(65)],
  '64 and 64 bytes': [`${a(63)}x`, `${a(63)}y`],
  '264 and 63 bytes': [a(264), a(63)],
  'a letter of 2 bytes at the cut': [`${a(62)}é`, `${a(62)}è`],
  'a letter of 3 bytes at the cut': [`${a(61)}€`, `${a(61)}₭`],
  'a letter of 3 bytes after its first one': [`${a(62)}€`, `${a(62)}⁋`],
  'a letter of 4 bytes at the cut': [`${a(60)}😀`, `${a(60)}😁`],
  'a letter of 4 bytes after its second one': [`${a(61)}😀`, `${a(61)}🚀`],
  'a letter behind the cut': [`${a(63)}é`, a(63)],
};

const staged = `INSERT INTO t VALUES ($1, 'staged')`;
const raw = `INSERT INTO t VALUES ($1, 'raw')`;
const ids = [23];

/** Runs a statement under one name that was prepared READ ONLY under the other. */
const statements = (x: string, y: string): Buffer[] => [
  ...[p(staged, y, ids), s, b(['5001'], y), e(), s, b(['5002'], y), e(), s, c('statement', x), s],
  ...[q('BEGIN READ ONLY'), p(raw, x, ids), s, q('COMMIT')],
  ...[b(['5003'], y), e(), s, b(['5004'], y), e(), s],
  ...[q('BEGIN'), b(['5005'], y), e(), s, b(['5006'], x), e(), s, q('COMMIT')],
];

/** Replaces a bound staged write by a function that writes. */
const portals = (x: string, y: string): Buffer[] => [
  ...[q(`PREPARE pr AS SELECT wr('portal')`), p(staged, 'w', ids), p('EXECUTE pr', 'r'), s],
  ...[q('BEGIN'), b(['5010'], 'w', x), c('portal', y), b([], 'r', y), e(0, x), s, q('COMMIT')],
  ...[q('BEGIN'), b(['5011'], 'w', x), s, c('portal', y), s, b([], 'r', y), s, e(0, x), s],
  ...[q('COMMIT')],
];

/** Requests the description under the other name. */
const described = (x: string, y: string): Buffer[] => [
  ...[p(staged, y, ids), d('statement', x), s, c('statement', x), p('SELECT $1', x, ids), s],
  ...[q('BEGIN READ ONLY'), c('statement', y), p(raw, y, ids), s, q('COMMIT')],
  ...[b(['5020'], x), e(), s, q('BEGIN'), b(['5021'], x), d('portal'), e(), s, q('COMMIT')],
];

/** Uses the names in SQL, which truncates them as well, but between letters. */
const inSql = (x: string, y: string): Buffer[] => [
  ...[q(`PREPARE "${y}"(int) AS ${staged}`), q(`EXECUTE "${y}"(5030)`), q(`DEALLOCATE "${x}"`)],
  ...[q('BEGIN READ ONLY'), q(`PREPARE "${x}"(int) AS ${raw}`), q('COMMIT')],
  ...[q(`EXECUTE "${y}"(5031)`), b(['5032'], y), e(), s, b(['5033'], x), e(), s],
  ...[q('BEGIN'), q(`EXECUTE "${y}"(5034)`), b(['5035'], y), e(), s, q('COMMIT')],
];

const ways = {
  'statements of': statements,
  'portals of': portals,
  'descriptions of': described,
  'SQL names of': inSql,
};

const programs: readonly Program[] = Object.entries(ways).flatMap(([way, messages]) =>
  Object.entries(pairs).map(([what, [x, y]]) => ({
    name: `${way} ${what}`,
    steps: () => messages(x, y),
  })),
);

export const longNames: ProgramGroup = { name: 'long names', objects: functions, programs };
