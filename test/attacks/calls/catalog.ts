/** Every function of a server that SQL can name, and the types by which arguments are drawn. */
import type { TestDatabase } from '../../helpers/database.ts';

export interface Callable {
  readonly schema: string;
  readonly name: string;
  /** Names of the argument types. */
  readonly args: readonly string[];
  readonly result: string;
  readonly kind: 'function' | 'aggregate' | 'window';
  readonly isSet: boolean;
  readonly isVolatile: boolean;
  /** The number of arguments with a default. */
  readonly defaults: number;
  readonly isVariadic: boolean;
  /** For ordered-set aggregates: the number of arguments before WITHIN GROUP. */
  readonly direct: number | null;
}

export interface TypeFacts {
  readonly kind: 'base' | 'composite' | 'domain' | 'enum' | 'pseudo' | 'range' | 'multirange';
  /** For arrays: the type of the elements. */
  readonly element: string | null;
  /** For domains: the base type. */
  readonly base: string | null;
  /** For enumerations: one label. */
  readonly label: string | null;
}

export interface Catalog {
  readonly functions: readonly Callable[];
  readonly types: ReadonlyMap<string, TypeFacts>;
  /** The existing casts, as `source AS target`. */
  readonly casts: ReadonlySet<string>;
}

/** Transition functions of aggregates and the like take `internal`, for which a client can only pass NULL. */
const selectFunctions = `
SELECT n.nspname AS schema, p.proname AS name, format_type(p.prorettype, NULL) AS result, p.proretset AS "isSet",
  ARRAY(SELECT format_type(t.oid, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY t(oid, place) ORDER BY t.place) AS args,
  CASE p.prokind WHEN 'a' THEN 'aggregate' WHEN 'w' THEN 'window' ELSE 'function' END AS kind,
  p.provolatile = 'v' AS "isVolatile", p.pronargdefaults AS defaults, p.provariadic <> 0 AS "isVariadic",
  CASE WHEN a.aggkind IN ('o', 'h') THEN a.aggnumdirectargs END AS direct
FROM pg_proc p
JOIN pg_namespace n ON n.oid = p.pronamespace
LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid
WHERE p.prokind <> 'p' AND n.nspname IN ('pg_catalog', 'public', 'information_schema')
ORDER BY n.nspname, p.proname, p.proargtypes::regtype[]::text`;

const selectTypes = `
SELECT format_type(t.oid, NULL) AS name,
  CASE t.typtype WHEN 'b' THEN 'base' WHEN 'c' THEN 'composite' WHEN 'd' THEN 'domain' WHEN 'e' THEN 'enum'
    WHEN 'p' THEN 'pseudo' WHEN 'r' THEN 'range' ELSE 'multirange' END AS kind,
  CASE WHEN t.typcategory = 'A' AND t.typelem <> 0 THEN format_type(t.typelem, NULL) END AS element,
  CASE WHEN t.typbasetype <> 0 THEN format_type(t.typbasetype, NULL) END AS base,
  (SELECT min(e.enumlabel) FROM pg_enum e WHERE e.enumtypid = t.oid) AS label
FROM pg_type t`;

export async function readCatalog(database: TestDatabase): Promise<Catalog> {
  const functions = await database.query<Callable>(selectFunctions);
  const types = await database.query<TypeFacts & { name: string }>(selectTypes);
  const casts = await database.query<{ cast: string }>(
    `SELECT format_type(castsource, NULL) || ' AS ' || format_type(casttarget, NULL) AS cast FROM pg_cast`,
  );
  return {
    functions,
    types: new Map(types.map(({ name, ...facts }) => [name, facts])),
    casts: new Set(casts.map(({ cast }) => cast)),
  };
}

export const signatureOf = ({ schema, name, args }: Callable): string =>
  `${schema}.${name}(${args.join(', ')})`;
