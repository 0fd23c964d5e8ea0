/** Which release of the program the schema `stage` was made by: one before that must not write to it. */
import { StageError } from '../errors.ts';
import { packageVersion } from '../package-version.ts';
import type { Queryable } from './database.ts';
import { listSql } from './sql-file.ts';

/** What the schema says of itself. */
export interface Standing {
  /** Number of the newest migration. */
  readonly migration: number;
  /** Version of the newest release that has been here; null where none has said so. */
  readonly release: string | null;
}

/** The columns of a query that gives a Standing. */
export const standingColumns =
  '(SELECT max(number) FROM stage.migration) AS migration, (SELECT version FROM stage.release) AS release';

/** Gives what a newer release has left in the schema, in words; null where none has been here. */
export function newerIn({ migration, release }: Standing): string | null {
  const known = listSql('migrations').length;
  if (migration > known) return `version ${migration}, this stage knows ${known}`;
  if (release === null || compareReleases(release, packageVersion()) <= 0) return null;
  return `release ${release}, this stage is ${packageVersion()}`;
}

/** @throws StageError `service_outdated` when a newer release has been here since this one has started */
export function demandCurrent(standing: Standing): void {
  const newer = newerIn(standing);
  if (newer === null) return;
  throw new StageError('service_outdated', `the schema stage is at ${newer}`, {
    hint: 'A newer release of stage serves this database: use that one, and stop this one.',
  });
}

/** Notes that this release has made the functions that are there. */
export async function recordRelease(tx: Queryable): Promise<void> {
  await tx.query(
    'INSERT INTO stage.release (version) VALUES ($1) ON CONFLICT (singleton) DO UPDATE SET version = excluded.version',
    [packageVersion()],
  );
}

/** Less than 0 when release a came before release b. A version with a suffix comes before the one without. */
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
