/** The release of stage that upgraded the schema `stage` last. Older releases must not write to the schema. */
import { StageError } from '../errors.ts';
import { packageVersion } from '../package-version.ts';
import type { Queryable } from './database.ts';
import { listSql } from './sql-file.ts';

/** The version information that the schema contains. */
export interface Standing {
  /** Number of the newest migration. */
  readonly migration: number;
  /** Version of the newest release that has upgraded the schema; null if none is recorded. */
  readonly release: string | null;
}

/** The select list of a query that returns a Standing. */
export const standingColumns =
  '(SELECT max(number) FROM stage.migration) AS migration, (SELECT version FROM stage.release) AS release';

/** Describes the newer version of the schema; null if the schema is not newer than this release. */
export function newerIn({ migration, release }: Standing): string | null {
  const known = listSql('migrations').length;
  if (migration > known) return `version ${migration}, this stage knows ${known}`;
  if (release === null || compareReleases(release, packageVersion()) <= 0) return null;
  return `release ${release}, this stage is ${packageVersion()}`;
}

/** Checks that the schema is not newer than this release. @throws StageError `service_outdated` */
export function demandCurrent(standing: Standing): void {
  const newer = newerIn(standing);
  if (newer === null) return;
  throw new StageError('service_outdated', `the schema stage is at ${newer}`, {
    hint: 'A newer release of stage serves this database: use that one, and stop this one.',
  });
}

/** Records that this release has created the functions. */
export async function recordRelease(tx: Queryable): Promise<void> {
  await tx.query(
    'INSERT INTO stage.release (version) VALUES ($1) ON CONFLICT (singleton) DO UPDATE SET version = excluded.version',
    [packageVersion()],
  );
}

/** Compares releases: less than 0 if `a` precedes `b`. A version with a suffix precedes the one without. */
export function compareReleases(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  const numbers = left.numbers.map((number, index) => number - (right.numbers[index] ?? 0));
  const order = numbers.find((difference) => difference !== 0);
  if (order !== undefined) return order;
  if (left.suffix === right.suffix) return 0;
  if (left.suffix === '' || right.suffix === '') return left.suffix === '' ? 1 : -1;
  return left.suffix.localeCompare(right.suffix, 'en', { numeric: true });
}

function parts(version: string): { readonly numbers: number[]; readonly suffix: string } {
  const [, numbers = '', suffix = ''] = /^([\d.]*)-?(.*)$/.exec(version) ?? [];
  return { numbers: numbers.split('.').map(Number), suffix };
}
