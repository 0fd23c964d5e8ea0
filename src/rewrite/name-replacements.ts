/** Replaces the names of tables in a statement. */
import { StageError } from '../errors.ts';
import { qualifiedName, quoteIdentifier } from '../identifier.ts';
import { completedGroupings } from '../overlay/views/dependent-columns.ts';
import type { Read } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import type { CopyWrite, QueryWrite, Write } from '../sql/write.ts';
import { canBeCopied, impliedColumns } from './copy-columns.ts';
import { roleOf } from './name-uses.ts';
import type { ResolvedName } from './resolved-name.ts';
import type { Named } from './stageable.ts';

/**
 * Returns the text that replaces a schema before a table's and a column's name; null if the schema stays.
 * @throws StageError if several views replace the table in the statement
 */
export function qualifierText(
  owner: ResolvedName | undefined,
  named: readonly Named[],
  body: Read | QueryWrite | CopyWrite,
): string | null {
  const isUpserted = (each: Named) => each.meaning.oid === owner?.oid && takesUpsert(each, body);
  // its columns may refer both to this view and to another one, so they get no schema
  if (named.some(isUpserted)) return '';
  const schema = schemaOf(owner, named);
  return schema === null ? null : `${quoteIdentifier(schema)}.`;
}

function schemaOf(owner: ResolvedName | undefined, named: readonly Named[]): string | null {
  const views = named
    .filter(({ meaning }) => meaning.oid === owner?.oid)
    .map(({ meaning }) => meaning.standIn.view?.schema ?? null);
  const [schema = owner?.standIn.view?.schema ?? null, ...more] = new Set(views);
  if (more.length > 0) throw calledTwice;
  return schema;
}

/** Replaces the relation's name by that of its view, if it has one. */
export function nameReplacement(named: Named, body: Read | QueryWrite | CopyWrite): Replacement[] {
  const { use, meaning } = named;
  const { view } = meaning.standIn;
  if (view === null) return [];
  const { start, end } = use;
  if (body.kind === 'write') {
    const { schema, name } = takesUpsert(named, body) ? (meaning.upsert ?? view) : view;
    const takesAll = body.form === 'copy' && use.target !== null && body.columns === null;
    const columns = takesAll ? impliedColumns(meaning) : null;
    const list = columns === null ? '' : ` (${columns})`;
    return [{ start, end, text: qualifiedName(schema, name) + list }];
  }
  const name = qualifiedName(view.schema, view.name);
  if (body.copy === null) return [{ start, end, text: name }];
  // PostgreSQL itself reports the error in a relation or column
  if (!canBeCopied(body.copy.names, meaning)) return [];
  const text = `(SELECT ${body.copy.columns ?? impliedColumns(meaning) ?? '*'} FROM ${name})`;
  return [{ start: body.copy.start, end: body.copy.end, text }];
}

/** Returns whether the name is the target of an INSERT ... ON CONFLICT. */
function takesUpsert({ use }: Named, body: Read | Write): boolean {
  return (
    body.kind === 'write' &&
    body.form === 'query' &&
    body.upserts.some(({ target }) => target === use.start)
  );
}

/** Returns the additions to a GROUP BY of a table's key, if a view replaces the table. */
export function groupingReplacements(
  named: readonly Named[],
  { groupings }: Read | QueryWrite,
): Replacement[] {
  return completedGroupings(groupings, (relation) => {
    const found = named.find(({ use }) => use.start === relation);
    return found?.meaning.standIn.view ? found.meaning.dependents : null;
  });
}

const calledTwice = new StageError(
  'statement_not_supported',
  'the statement names a table with children both with and without ONLY, and qualifies columns with schema and table',
  { hint: 'Give the table aliases, and qualify its columns with these.' },
);

/** Returns the facts about a name that `stage.begin_statement` verifies. */
export function verified({ use, meaning }: Named, body: Read | Write): object {
  const { schema, name, start, target } = use;
  const isCopied = body.kind === 'write' && body.form === 'copy' && target !== null;
  const rights = body.kind === 'write' ? body.rights.filter((right) => right.target === start) : [];
  return {
    schema,
    name,
    ...roleOf(use),
    ...meaning.standIn.verify,
    rights: rights.map(({ operation, columns, returned }) => ({
      ...{ operation, columns },
      // most statements return nothing
      ...(returned?.length !== 0 && { returned }),
    })),
    ...(isCopied && { copy: true }),
    ...(meaning.kind === 'view' && target !== null && { view: true }),
  };
}
