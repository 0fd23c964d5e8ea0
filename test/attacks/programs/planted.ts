/** Code in a staged write that plants a statement or a portal under a name of the client's, to run in place of the known one. */
import { b, e, p, q, s } from '../../helpers/wire-script.ts';
import type { Program, ProgramGroup } from './program.ts';
import { functions } from './program.ts';

const plants = `
CREATE FUNCTION plant(int, int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'DEALLOCATE p';
  EXECUTE 'PREPARE p(int) AS INSERT INTO public.t VALUES ($1, ''planted'')';
  RETURN true;
END$$;
CREATE OPERATOR === (FUNCTION = plant, LEFTARG = int, RIGHTARG = int);
CREATE FUNCTION plant_portal(int, int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'CLOSE pp';
  EXECUTE 'DECLARE pp CURSOR FOR SELECT public.wr(''planted'')';
  RETURN true;
END$$;
CREATE OPERATOR ==> (FUNCTION = plant_portal, LEFTARG = int, RIGHTARG = int);
`;

/** Places of a write where an operator may be. */
const places: Readonly<Record<string, string>> = {
  WHERE: `INSERT INTO t SELECT (SELECT max(id) + 1 FROM t), 'w' WHERE 1 === 1`,
  RETURNING: `UPDATE t SET v = 'w' WHERE id = 1 RETURNING 1 === 1`,
  UPDATE: `UPDATE t SET v = 'w' WHERE id = 1 AND 1 === 1`,
  SET: `UPDATE t SET v = (1 === 1)::text WHERE id = 1`,
  DELETE: 'DELETE FROM t WHERE id = 5 AND 1 === 1',
  'a WITH query': `WITH x AS (SELECT 1 === 1 AS y) UPDATE t SET v = 'w' FROM x WHERE y`,
  'ON CONFLICT': `INSERT INTO t VALUES (1, 'w') ON CONFLICT (id) DO UPDATE SET v = 'w' WHERE 1 === 1`,
  MERGE: `MERGE INTO t USING (VALUES (1)) s (id) ON t.id = s.id WHEN MATCHED AND 1 === 1 THEN UPDATE SET v = 'w'`,
};

const staged = `INSERT INTO t VALUES ($1, 'staged')`;
const ids = [23];

function bySql(write: string): string[] {
  return [
    ...[`PREPARE p(int) AS ${staged}`, `PREPARE w AS ${write}`, 'BEGIN'],
    ...['EXECUTE w', 'EXECUTE p(1001)', 'EXECUTE w', 'EXECUTE p(1002)', 'COMMIT'],
  ];
}

/** Plants a write with the protocol's own statements, inside and outside of a transaction. */
const byProtocol = (write: string): Buffer[] => [
  ...[p(staged, 'p', ids), p(write, 'w'), s, q('BEGIN')],
  ...[b([], 'w'), e(), s, b(['1001'], 'p'), e(), s, b([], 'w'), e(), s, b(['1002'], 'p'), e(), s],
  ...[q('COMMIT'), b([], 'w'), e(), s, b(['1003'], 'p'), e(), s],
  ...[b([], 'w'), e(), b(['1004'], 'p'), e(), s],
];

/** Binds a write, and then replaces it by another. */
const byPortal = (write: string): Buffer[] => [
  ...[p(`UPDATE t SET v = 'bound' WHERE id = 3`, 'bound'), p(write, 'w'), s],
  ...[q('BEGIN'), b([], 'bound', 'pp'), b([], 'w'), e(), e(0, 'pp'), s, q('COMMIT')],
  ...[q('BEGIN'), b([], 'bound', 'pp'), s, b([], 'w'), e(), s, e(0, 'pp'), s, q('COMMIT')],
];

const programs: readonly Program[] = Object.entries(places).flatMap(([place, write]) => [
  { name: `a statement of SQL, in ${place}`, steps: bySql(write) },
  { name: `a statement of the protocol, in ${place}`, steps: () => byProtocol(write) },
  { name: `a portal, in ${place}`, steps: () => byPortal(write.replaceAll('===', '==>')) },
]);

export const planted: ProgramGroup = {
  name: 'what code in writes plants',
  objects: `${functions}${plants}`,
  programs,
};
