/** The queries about names: those that resolve them, and those that verify what is known, sent with the reads that depend on it. */
import { qualifiedName, quoteIdentifier } from '../identifier.ts';
import type { InternalStatement } from '../server-connection/internal-statement.ts';
import type { Verification } from '../server-connection/prepared-statements.ts';
import { roleOf } from './name-uses.ts';
import { ownTables } from './own-tables.ts';
import type { KnownName, NameUse } from './resolved-name.ts';
import { isOfAll, nameContext } from './since-made.ts';
import { stampCalls } from './stamp-calls.ts';

export const resolveRelations: InternalStatement = {
  text: `SELECT ${nameContext}, stage.resolve_relations($1), ${isOfAll}, ${ownTables}`,
};

export const namesAreValid: InternalStatement = {
  text: `SELECT ${nameContext}, stage.names_are_valid($1), ${ownTables}`,
};

/** The query that checks names, alone. Its row is for `Names.confirm`. */
export const areCurrent: InternalStatement = {
  text: `SELECT ${nameContext}, stage.are_current($1)`,
};

/** SQL for whether the registry is bound to this database. The connection's own database has been compared when it resolved its names. */
const isBound = `EXISTS (SELECT FROM stage.identity i
    WHERE i.registry OPERATOR(pg_catalog.=) 'stage.overlay'::pg_catalog.regclass::pg_catalog.oid
      AND i.xmin OPERATOR(pg_catalog.=) i.written::pg_catalog.xid)`;

/** Returns what `stage.are_current` takes. */
export const verified = (names: readonly KnownName[]): Buffer =>
  Buffer.from(
    JSON.stringify(
      names.map(({ use, meaning }) => {
        const { schema, name } = use;
        return { schema, name, ...roleOf(use), ...meaning.standIn.verify };
      }),
    ),
  );

/**
 * Returns the check of stand-ins. One statement suffices for plain tables whose overlays have the expected stamps; all else is left to
 * `stage.are_current`.
 */
export function ofStandIns(names: readonly KnownName[], version: number): Verification {
  const full = `stage.are_current($1${stampCalls(names.map(({ meaning }) => meaning.stamp))})`;
  const values = [verified(names)];
  const common = { untouched: [], version };
  if (!names.every(isStamped))
    return { query: { text: `SELECT ${nameContext}, ${full}` }, values, ...common };
  const each = names.map(({ meaning }, index) => standInFits(`${meaning.stamp}()`, 2 + 3 * index));
  const fits = [isReadCommitted, isBound, ...each].join('\n  AND ');
  return {
    query: { text: `SELECT ${nameContext}, CASE WHEN ${fits} THEN true ELSE ${full} END` },
    values: [...values, ...names.flatMap(parametersOf)],
    ...common,
  };
}

const isReadCommitted = `pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.~~) 'read %'`;

/** Returns whether nothing but its name, OID, signature and stamp is to be compared. */
function isStamped({ use, meaning: { stamp, standIn } }: KnownName): boolean {
  const { signature, tree, readable } = standIn.verify;
  return (
    stamp !== null &&
    use.role === undefined &&
    Boolean(signature) &&
    tree === undefined &&
    readable === undefined
  );
}

const parametersOf = ({ use, meaning: { standIn } }: KnownName): Buffer[] =>
  [written(use), String(standIn.verify.oid), String(standIn.verify.signature)].map((each) =>
    Buffer.from(each),
  );

/** Does for a table what `stage.is_current` does, but for its triggers: no read fires them. */
const standInFits = (stamp: string, first: number) => `coalesce((
    SELECT o.signature OPERATOR(pg_catalog.=) $${first + 2} AND o.policy_stamp IS NULL AND o.stamp OPERATOR(pg_catalog.=) ${stamp}
    FROM stage.overlay o
    WHERE o.relation OPERATOR(pg_catalog.=) $${first + 1} AND o.relation OPERATOR(pg_catalog.=) pg_catalog.to_regclass($${first})), false)`;

/**
 * Returns the check of tables that a read uses under the client's own names, because nothing is staged in them. Their definitions do not
 * matter, but for what would show rows of other relations, or rows that policies choose by other tables.
 */
export function ofUntouched(names: readonly KnownName[], version: number): Verification {
  const untouched = names.map(({ meaning }) => meaning.oid as number);
  const each = names.map((_, index) => isUntouched(1 + 2 * index));
  const values = names.flatMap(({ use }, index) => [written(use), String(untouched[index])]);
  return {
    query: { text: `SELECT ${[nameContext, ...each, isBound].join(',\n  ')}` },
    values: values.map((value) => Buffer.from(value)),
    untouched,
    version,
  };
}

/** @param first the number of the parameter that is the name; the next one is the OID */
function isUntouched(first: number): string {
  const table = `$${first + 1}`;
  // guard: a table that has children or policies by now is read through its overlay
  const isPlain = 'NOT c.relhassubclass AND NOT c.relispartition AND NOT c.relrowsecurity';
  // guard: a table in which something is staged is read through its overlay
  const isUnstaged = `NOT EXISTS (SELECT FROM stage.own_table t WHERE t.relation OPERATOR(pg_catalog.=) ${table})`;
  // a SERIALIZABLE transaction must not read what other connections of the session write to
  return `pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.<>) 'serializable'
    AND (SELECT c.relkind OPERATOR(pg_catalog.=) 'r' AND c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass($${first}) AND ${isPlain}
      FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) ${table})
    AND ${isUnstaged}`;
}

const written = ({ schema, name }: Pick<NameUse, 'schema' | 'name'>) =>
  schema === null ? quoteIdentifier(name) : qualifiedName(schema, name);
