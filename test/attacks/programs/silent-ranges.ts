/** Ranges over a subtype whose comparison runs code: everything that makes, reads or compares a range compares its bounds. */
import { b, data, done, e, p, q, s } from '../../helpers/wire-script.ts';
import type { Program, ProgramGroup } from './program.ts';
import { functions } from './program.ts';
import { inEveryPlace } from './silent-xml.ts';

const objects = `${functions}
CREATE FUNCTION compares(int, int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
  $$BEGIN PERFORM public.wr('range'); RETURN btint4cmp($1, $2); END$$;
CREATE OPERATOR CLASS comparing FOR TYPE int USING btree AS
  OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 compares(int, int);
CREATE TYPE erange AS RANGE (SUBTYPE = int, SUBTYPE_OPCLASS = comparing);
CREATE TABLE ranged (id int PRIMARY KEY, r erange);
INSERT INTO ranged VALUES (0, NULL);
`;

const expressions: readonly string[] = [
  'erange(1, 2)',
  `'[1,2)'::erange`,
  `CAST('[1,2)' AS erange)`,
  `erange '[1,2)'`,
  `'{[1,2),[3,4)}'::emultirange`,
  'emultirange(erange(1, 2), erange(3, 4))',
  `'[1,2)'::erange && '[1,3)'::erange`,
  `'[1,2)'::erange = '[1,3)'::erange`,
  `ARRAY['[1,2)']::erange[]`,
  `range_in('[1,2)', 'public.erange'::regtype::oid, -1)`,
  `multirange_in('{[1,2)}', 'public.emultirange'::regtype::oid, -1)`,
  `(SELECT range_agg(x) FROM (VALUES ('[1,2)'::erange), ('[2,3)')) v (x))`,
];

const roles = ['writer', 'superuser'] as const;
const columnWrites = [
  `INSERT INTO ranged VALUES (1, '[1,2)')`,
  `UPDATE ranged SET r = '[1,2)' WHERE id = 0`,
  `INSERT INTO ranged VALUES (0, '[1,2)') ON CONFLICT (id) DO UPDATE SET r = excluded.r`,
  `DELETE FROM ranged WHERE r = '[1,2)' OR r IS NULL`,
];
const bodies = {
  INSERT: `INSERT INTO t VALUES (900, $1::text)`,
  UPDATE: 'UPDATE t SET v = $1::text WHERE id = 1',
  'nextval()': `SELECT nextval('numbers'), $1::text`,
};

const programs: readonly Program[] = [
  ...inEveryPlace(expressions),
  ...columnWrites.map((text) => ({ name: text, steps: ['BEGIN', text, 'COMMIT', text], roles })),
  ...['text', 'csv'].map((format) => ({
    name: `COPY in format ${format}`,
    steps: () => {
      const copy = `COPY ranged FROM STDIN (FORMAT ${format}, DELIMITER ';')`;
      const row = [data('7;[1,2)\n'), done];
      return [
        q(copy),
        ...row,
        p(copy),
        b(),
        e(),
        ...row,
        s,
        q('BEGIN'),
        q(copy),
        ...row,
        q('COMMIT'),
      ];
    },
    roles,
  })),
  ...Object.entries(bodies).flatMap(([kind, text]) => [
    {
      name: `a parameter, by SQL, in ${kind}`,
      steps: [`PREPARE s(erange) AS ${text}`, `EXECUTE s('[1,2)')`, `EXECUTE s(erange(1, 2))`],
      roles,
    },
    {
      name: `a parameter, by the protocol, in ${kind}`,
      steps: (oid: (name: string) => number) => [
        ...[p(text, 'typed', [oid('erange')]), s, b(['[1,2)'], 'typed'), e(), s],
        ...[q('BEGIN'), b(['[1,2)'], 'typed'), e(), s, q('COMMIT')],
      ],
      roles,
    },
  ]),
];

export const silentRanges: ProgramGroup = {
  name: 'ranges that compare by code',
  objects,
  programs,
};
