/** Types whose checks run code, named where they are easily missed: as the type of a parameter, or by OID. */
import { b, d, e, p, q, s } from '../../helpers/wire-script.ts';
import type { Program, ProgramGroup, TypeOid } from './program.ts';
import { functions } from './program.ts';
import { inEveryPlace } from './silent-xml.ts';

const objects = `${functions}
CREATE FUNCTION checks(text) RETURNS boolean LANGUAGE plpgsql AS
  $$BEGIN PERFORM public.wr($1); RETURN true; END$$;
CREATE DOMAIN word AS text CHECK (checks(VALUE));
CREATE DOMAIN amount AS int CHECK (checks(VALUE::text));
CREATE DOMAIN words AS text[] CHECK (checks(VALUE::text));
CREATE TYPE holder AS (w word);
CREATE TYPE counter AS (n amount);
`;

/** A value of each type. */
const types: Readonly<Record<string, string>> = {
  word: 'domain',
  amount: '7',
  words: '{a}',
  _word: '{a,b}',
  holder: '(a)',
  counter: '(7)',
  _holder: '{(a)}',
};

/** Statements with one parameter. The last ones do not use its value. */
const bodies: Readonly<Record<string, string>> = {
  INSERT: `INSERT INTO t VALUES (900, $1::text)`,
  UPDATE: 'UPDATE t SET v = $1::text WHERE id = 1',
  DELETE: 'DELETE FROM t WHERE v = $1::text',
  'an INSERT that does not use it': `INSERT INTO t SELECT 901, 'x' WHERE $1 IS NULL OR true`,
  'ON CONFLICT': `INSERT INTO t VALUES (2, 'x') ON CONFLICT (id) DO UPDATE SET v = $1::text`,
  RETURNING: `UPDATE t SET v = 'x' WHERE id = 3 RETURNING $1::text`,
  'nextval()': `SELECT nextval('numbers'), $1::text`,
  SELECT: 'SELECT $1::text',
};

const byProtocol =
  (text: string, type: string, value: string) =>
  (oid: TypeOid): Buffer[] => [
    ...[p(text, 'typed', [oid(type)]), d('statement', 'typed'), s],
    ...[b([value], 'typed'), d(), e(), s, p(text, '', [oid(type)]), b([value]), e(), s],
    ...[q('BEGIN'), b([value], 'typed'), e(), s, b([value], 'typed'), s, q('COMMIT')],
  ];

function bySql(text: string, type: string, value: string): string[] {
  const named = type.startsWith('_') ? `${type.slice(1)}[]` : type;
  const execute = `EXECUTE typed('${value}')`;
  return [`PREPARE typed(${named}) AS ${text}`, execute, 'BEGIN', execute, 'COMMIT'];
}

const parameters: readonly Program[] = Object.entries(types).flatMap(([type, value]) =>
  Object.entries(bodies).flatMap(([kind, text]) => [
    {
      name: `a parameter of type ${type}, by the protocol, in ${kind}`,
      steps: byProtocol(text, type, value),
      roles: ['writer', 'superuser'] as const,
    },
    {
      name: `a parameter of type ${type}, by SQL, in ${kind}`,
      steps: bySql(text, type, value),
      roles: ['writer'] as const,
    },
  ]),
);

const oidOf = (type: string) => `'public.${type}'::regtype::oid`;

/** Input functions that get the type by its OID. Clients know the OID, and write it as a constant. */
const inputs = [
  `record_in('(a)', ${oidOf('holder')}, -1)`,
  `record_in('(7)', ${oidOf('counter')}, -1)`,
  `array_in('{a}', ${oidOf('word')}, -1)`,
  `array_in('{7}', ${oidOf('amount')}, -1)`,
  `domain_in('a', ${oidOf('word')}, -1)`,
  `array_in('{(a)}', ${oidOf('holder')}, -1)`,
];

export const silentDomains: ProgramGroup = {
  name: 'types whose checks run code',
  objects,
  programs: [...parameters, ...inEveryPlace(inputs)],
  found: async (query) => {
    const rows = await query<{ name: string; oid: number }>(
      `SELECT typname AS name, oid::int FROM pg_type WHERE typname IN ('holder', 'word')`,
    );
    return inEveryPlace(
      rows.map(({ name, oid }) =>
        name === 'word' ? `array_in('{a}', ${oid}, -1)` : `record_in('(a)', ${oid}, -1)`,
      ),
    );
  },
};
