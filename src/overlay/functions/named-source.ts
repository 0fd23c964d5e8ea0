/** The replacements of the relations that bodies of functions name. */
import type { Queryable } from '../../db/database.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import type { RelationUse } from '../../sql/places.ts';
import { oidArray } from '../object-names.ts';
import { sourceFor } from '../views/staged-view.ts';
import type { Source } from '../views/table-source.ts';
import { nameOf } from './known-functions.ts';
import type { Lookup } from './own-path.ts';

interface Context extends Lookup {
  readonly tx: Queryable;
  readonly server: number;
}

/** Returns the replacement of a relation in queries; null if the relation does not exist. */
export async function sourceNamed(
  { tx, path, server }: Context,
  use: QualifiedName | RelationUse,
  sources: Map<string, Source>,
): Promise<Source | null> {
  const name = JSON.stringify(nameOf(use));
  const known = sources.get(name);
  if (known) return known;
  const oid = await oidNamed({ tx, path }, use);
  if (oid === null) return null;
  const source = await sourceFor(tx, oid, server, false);
  sources.set(name, source);
  return source;
}

/** Returns the relation that a name stands for; null if there is none. */
export async function oidNamed(
  { tx, path }: Pick<Context, 'tx' | 'path'>,
  use: QualifiedName,
): Promise<number | null> {
  const name = JSON.stringify(nameOf(use));
  const [row] = await tx.query('SELECT stage.relation_in($1, $2) AS oid', [name, oidArray(path)]);
  return row?.['oid'] == null ? null : Number(row['oid']);
}
