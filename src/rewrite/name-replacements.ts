/** What stands in a statement in the place of the names of tables. */
import { qualifiedName, quoteIdentifier } from '../db/identifier.ts';
import { StageError } from '../errors.ts';
import { completedGroupings } from '../overlay/views/dependent-columns.ts';
import type { Read } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import type { CopyWrite, QueryWrite, Write } from '../sql/write.ts';
import { canBeCopied, impliedColumns } from './copy-columns.ts';
import type { ResolvedName } from './resolved-name.ts';
import type { Named } from './stageable.ts';

/**
 * What stands in the place of a schema before a table's name and a column's; null where it stays.
 * @throws StageError where the table has several views in the statement
 */
export function qualifierText(
  owner: ResolvedName | undefined,
  named: readonly Named[],
  body: Read | QueryWrite | CopyWrite,
): string | null {
  const isUpserted = (each: Named) => each.meaning.oid === owner?.oid && takesUpsert(each, body);
  // its columns are called where the table has this view, and where it has another one
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

/** The view's name in the place of the relation's, if it has a view. */
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
  // what is wrong with a relation or column, PostgreSQL says itself
  if (!canBeCopied(body.copy.names, meaning)) return [];
  const text = `(SELECT ${body.copy.columns ?? impliedColumns(meaning) ?? '*'} FROM ${name})`;
  return [{ start: body.copy.start, end: body.copy.end, text }];
}

/** Whether the name is the target of an INSERT ... ON CONFLICT. */
function takesUpsert({ use }: Named, body: Read | Write): boolean {
  return (
    body.kind === 'write' &&
    body.form === 'query' &&
    body.upserts.some(({ target }) => target === use.start)
  );
}

/** What is added where a query groups by the key of a table in whose place its view stands. */
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

/** What `stage.enter` is to verify of a name. */
export function verified({ use, meaning }: Named, body: Read | Write): object {
  const { schema, name, start, target } = use;
  const isCopied = body.kind === 'write' && body.form === 'copy' && target !== null;
  const rights = body.kind === 'write' ? body.rights.filter((right) => right.target === start) : [];
  return {
    schema,
    name,
    ...meaning.standIn.verify,
    rights: rights.map(({ operation, columns }) => ({ operation, columns })),
    ...(isCopied && { copy: true }),
    ...(meaning.kind === 'view' && target !== null && { view: true }),
  };
}
