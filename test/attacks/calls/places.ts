/** The places of a call: in reads, in staged writes, in expressions of tables, views and policies. */
import type { Random } from '../../helpers/random.ts';
import type { Spelled } from './spell.ts';

export interface Placed {
  /** The place, for reports. */
  readonly place: string;
  readonly kind: 'read' | 'write';
  /** SQL that creates the owner's tables for it. */
  readonly made: readonly string[];
  /** The statements of the client. */
  readonly statements: readonly string[];
  /** Whether it runs only in a transaction block. */
  readonly needsBlock?: boolean;
}

interface Site extends Spelled {
  /** The call as one value of type text, valid wherever a value is. */
  readonly text: string;
  /** A number that no other call has. */
  readonly number: number;
}

type Place = (site: Site) => string | readonly string[];

const rangeOf = ({ range, expression }: Site) => range ?? `(SELECT ${expression} AS r) r`;

const reads: Readonly<Record<string, Place>> = {
  'SELECT list': ({ expression }) => `SELECT ${expression}`,
  FROM: (site) => `SELECT * FROM ${rangeOf(site)}`,
  'LATERAL FROM': (site) => `SELECT i.id, r.* FROM item i CROSS JOIN LATERAL ${rangeOf(site)}`,
  WHERE: ({ text }) => `SELECT id FROM item WHERE ${text} IS DISTINCT FROM 'q'`,
  'JOIN ON': ({ text }) => `SELECT 1 FROM item i JOIN item j ON ${text} IS NOT NULL`,
  'ORDER BY': ({ text }) => `SELECT id FROM item ORDER BY ${text}`,
  'ORDER BY USING': ({ text }) => `SELECT id FROM item ORDER BY ${text} USING ~<~`,
  'GROUP BY and HAVING': ({ text }) =>
    `SELECT count(*) FROM item GROUP BY ${text} HAVING ${text} IS DISTINCT FROM 'q'`,
  LIMIT: ({ text }) => `SELECT id FROM item LIMIT length(${text})`,
  'argument of another call': ({ text }) => `SELECT coalesce(length(${text}), 1)`,
  'argument of an aggregate': ({ text }) => `SELECT count(${text}) FROM item`,
  FILTER: ({ text }) => `SELECT count(*) FILTER (WHERE ${text} IS NULL) FROM item`,
  'WITHIN GROUP': ({ text }) =>
    `SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY ${text}) FROM item`,
  'JOIN USING': (site) =>
    `SELECT 1 FROM (SELECT ${site.text} AS v) a JOIN (SELECT ${site.text} AS v) b USING (v)`,
  BETWEEN: ({ text }) => `SELECT 1 FROM item WHERE v BETWEEN ${text} AND 'z'`,
  IN: ({ text }) => `SELECT 1 FROM item WHERE v IN (SELECT ${text})`,
  window: ({ text }) => `SELECT count(*) OVER (PARTITION BY ${text}) FROM item`,
  CTE: ({ expression }) => `WITH x AS MATERIALIZED (SELECT ${expression}) SELECT count(*) FROM x`,
  CASE: ({ text }) => `SELECT CASE WHEN ${text} IS NULL THEN 1 ELSE 2 END`,
  VALUES: ({ text }) => `VALUES (${text}), ('x')`,
  UNION: ({ text }) => `SELECT 'x'::text UNION ALL SELECT ${text}`,
  'EXPLAIN ANALYZE': ({ expression }) => `EXPLAIN ANALYZE SELECT ${expression}`,
  COPY: ({ expression }) => `COPY (SELECT ${expression}) TO STDOUT`,
  EXECUTE: ({ expression, number }) => [
    `PREPARE p${number} AS SELECT ${expression}`,
    `EXECUTE p${number}`,
  ],
  'argument of EXECUTE': ({ text, number }) => [
    `PREPARE p${number}(text) AS SELECT $1`,
    `EXECUTE p${number}(${text})`,
  ],
};

const cursors: Readonly<Record<string, Place>> = {
  cursor: ({ expression, number }) => [
    `DECLARE c${number} CURSOR FOR SELECT ${expression}`,
    `FETCH ALL FROM c${number}`,
  ],
  'cursor WITH HOLD': ({ expression, number }) => [
    `DECLARE c${number} CURSOR WITH HOLD FOR SELECT ${expression}`,
    `CLOSE c${number}`,
  ],
};

const writes: Readonly<Record<string, Place>> = {
  'INSERT SELECT': ({ text, number }) => `INSERT INTO item SELECT ${number}, ${text}`,
  'INSERT VALUES': ({ text, number }) => `INSERT INTO item VALUES (${number}, ${text})`,
  'INSERT from FROM': (site) =>
    `INSERT INTO item SELECT ${site.number}, min((r.*)::text) FROM ${rangeOf(site)}`,
  'INSERT RETURNING': ({ text, number }) =>
    `INSERT INTO item VALUES (${number}, 'x') RETURNING ${text}`,
  'UPDATE SET': ({ text }) => `UPDATE item SET v = ${text} WHERE id = 1`,
  'UPDATE WHERE': ({ text }) => `UPDATE item SET v = 'w' WHERE ${text} IS DISTINCT FROM 'q'`,
  'UPDATE RETURNING': ({ text }) => `UPDATE item SET v = 'r' WHERE id = 2 RETURNING ${text}`,
  'UPDATE FROM': (site) => `UPDATE item SET v = 'f' FROM ${rangeOf(site)} WHERE id = 3`,
  'DELETE WHERE': ({ text }) => `DELETE FROM item WHERE ${text} = 'q'`,
  'DELETE RETURNING': ({ text }) => `DELETE FROM item WHERE id = 4 RETURNING ${text}`,
  'MERGE ON': ({ text }) =>
    `MERGE INTO item USING (SELECT 1 AS id) s ON item.id = s.id AND ${text} IS NULL WHEN MATCHED THEN UPDATE SET v = 'm'`,
  'MERGE SET': ({ text }) =>
    `MERGE INTO item USING (SELECT 1 AS id) s ON item.id = s.id WHEN MATCHED THEN UPDATE SET v = ${text}`,
  'ON CONFLICT': ({ text }) =>
    `INSERT INTO item VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET v = ${text}`,
  'data-modifying WITH': ({ text, number }) =>
    `WITH w AS (INSERT INTO item VALUES (${number}, 'x') RETURNING id) SELECT ${text}, id FROM w`,
  'COPY of RETURNING': ({ text, number }) =>
    `COPY (INSERT INTO item VALUES (${number}, 'x') RETURNING ${text}) TO STDOUT`,
  'EXECUTE of a write': ({ text, number }) => [
    `PREPARE p${number} AS INSERT INTO item VALUES (${number}, ${text})`,
    `EXECUTE p${number}`,
  ],
  'argument of EXECUTE of a write': ({ text, number }) => [
    `PREPARE p${number}(text) AS INSERT INTO item VALUES (${number}, $1)`,
    `EXECUTE p${number}(${text})`,
  ],
};

/**
 * Returns SQL that creates the owner's table for a call.
 * @param columns the columns besides the key
 * @param more SQL that is run after it
 */
const table = (number: number, columns: string, more = '') =>
  `CREATE TABLE t${number} (id int PRIMARY KEY, ${columns}); ALTER TABLE t${number} OWNER TO $owner;
  GRANT SELECT ON t${number} TO $reader; GRANT SELECT, INSERT, UPDATE, DELETE ON t${number} TO $writer, $service; ${more}`;

interface Definition {
  readonly made: (site: Site) => string;
  readonly statements: (number: number) => readonly string[];
}

const definitions: Readonly<Record<string, Definition>> = {
  DEFAULT: {
    made: ({ expression, number }) => table(number, `v text DEFAULT (${expression})::text`),
    statements: (number) => [`INSERT INTO t${number} (id) VALUES (1)`],
  },
  'DEFAULT by UPDATE': {
    made: ({ expression, number }) =>
      table(
        number,
        `v text DEFAULT (${expression})::text`,
        `INSERT INTO t${number} VALUES (1, 'x')`,
      ),
    statements: (number) => [`UPDATE t${number} SET v = DEFAULT`],
  },
  CHECK: {
    made: ({ expression, number }) =>
      table(number, `v text CHECK ((${expression})::text IS DISTINCT FROM v)`),
    statements: (number) => [`INSERT INTO t${number} VALUES (1, 'x')`],
  },
  'CHECK by UPDATE': {
    made: ({ expression, number }) =>
      table(
        number,
        'v text',
        `INSERT INTO t${number} VALUES (1, 'x'); ALTER TABLE t${number} ADD CHECK ((${expression})::text IS DISTINCT FROM v) NOT VALID`,
      ),
    statements: (number) => [`UPDATE t${number} SET v = 'y'`],
  },
};

/** PostgreSQL accepts only expressions that are declared immutable: in a domain's check, and in objects over such functions. */
const computed: Readonly<Record<string, Definition>> = {
  'generated column': {
    made: ({ expression, number }) =>
      table(number, `v text, g text GENERATED ALWAYS AS ((${expression})::text) STORED`),
    statements: (number) => [`INSERT INTO t${number} VALUES (1, 'x')`],
  },
  index: {
    made: ({ expression, number }) =>
      table(number, 'v text', `CREATE UNIQUE INDEX ON t${number} (((${expression})::text))`),
    statements: (number) => [`INSERT INTO t${number} VALUES (1, 'x')`, `TABLE t${number}`],
  },
};

const everyone = 'reader writer owner'.split(' ').map((role) => `$${role}`);

/** These may contain a query, so every call fits. */
const queried: Readonly<Record<string, Definition>> = {
  'policy USING': {
    made: ({ text, number }) =>
      table(
        number,
        'v text',
        `INSERT INTO t${number} VALUES (1, 'x'); ALTER TABLE t${number} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
         CREATE POLICY p ON t${number} USING (${text} IS DISTINCT FROM v)`,
      ),
    statements: (number) => [`TABLE t${number}`, `UPDATE t${number} SET v = 'y'`],
  },
  'policy WITH CHECK': {
    made: ({ text, number }) =>
      table(
        number,
        'v text',
        `ALTER TABLE t${number} ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t${number} WITH CHECK (${text} IS DISTINCT FROM v)`,
      ),
    statements: (number) => [`INSERT INTO t${number} VALUES (1, 'x')`],
  },
  view: {
    made: ({ text, number }) =>
      `CREATE VIEW t${number} AS SELECT ${text} AS v; ALTER VIEW t${number} OWNER TO $owner; GRANT SELECT ON t${number} TO ${everyone.join(', ')}`,
    statements: (number) => [
      `TABLE t${number}`,
      `INSERT INTO item SELECT ${number}, v FROM t${number}`,
    ],
  },
  'view behind a view': {
    made: ({ text, number }) =>
      `CREATE VIEW b${number} AS SELECT ${text} AS v FROM item; ALTER VIEW b${number} OWNER TO $owner; CREATE VIEW t${number} AS SELECT v FROM b${number};
       ALTER VIEW t${number} OWNER TO $owner; GRANT SELECT ON t${number} TO ${everyone.join(', ')}`,
    statements: (number) => [
      `COPY (TABLE t${number}) TO STDOUT`,
      `DECLARE c${number} CURSOR WITH HOLD FOR SELECT v FROM t${number}`,
      `DELETE FROM item WHERE v IN (TABLE t${number})`,
    ],
  },
  'policy behind a view': {
    made: ({ text, number }) =>
      table(
        number,
        'v text',
        `INSERT INTO t${number} VALUES (1, 'x'); ALTER TABLE t${number} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
         CREATE POLICY p ON t${number} USING (${text} IS DISTINCT FROM v); CREATE VIEW b${number} AS SELECT v FROM t${number};
         ALTER VIEW b${number} OWNER TO $owner; GRANT SELECT ON b${number} TO ${everyone.join(', ')}`,
      ),
    statements: (number) => [`TABLE b${number}`, `COPY t${number} TO STDOUT`],
  },
};

/**
 * Draws the place of a call. The first write to a table takes the service many times as long as a call in a statement.
 * @param isLikely whether the function is likely to have an effect, so that tables are worth their time
 */
export function place(random: Random, spelled: Spelled, number: number, isLikely: boolean): Placed {
  const text = spelled.isQuery
    ? `(SELECT (${spelled.expression})::text LIMIT 1)`
    : `(${spelled.expression})::text`;
  const site = { ...spelled, text, number };
  const isOfTable = random.chance(isLikely ? 0.12 : 0.03);
  const kind = isOfTable
    ? 'table'
    : random.pick(['read', 'read', 'read', 'write', 'write', 'write', 'cursor']);
  if (kind === 'table') return defined(random, site);
  const places = { read: reads, write: writes, cursor: cursors }[kind] ?? reads;
  const [name, statement] = random.pick(Object.entries(places));
  const statements = [statement(site)].flat();
  return {
    ...{ place: name, kind: kind === 'write' ? 'write' : 'read', made: [], statements },
    ...(kind === 'cursor' ? { needsBlock: true } : {}),
  };
}

function defined(random: Random, site: Site): Placed {
  const all = site.isQuery ? queried : { ...definitions, ...computed, ...queried };
  const [name, { made, statements }] = random.pick(Object.entries(all));
  return { place: name, kind: 'write', made: [made(site)], statements: statements(site.number) };
}
