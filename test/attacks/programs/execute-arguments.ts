/** Arguments of EXECUTE are expressions. The functions in them run where the statement runs. */
import type { Program, ProgramGroup } from './program.ts';
import { functions } from './program.ts';

const calls: Readonly<Record<string, string>> = {
  'attribute notation': `('direct'::text).wr`,
  'attribute notation of a function of its owner': `('direct'::text).wr_def`,
  'attribute notation twice': `((('direct'::text).wr)::text).wr_def`,
  'attribute notation of a subscript': `((ARRAY['direct'])[1]).wr_def`,
  'attribute notation of a field': `((ROW('direct'::text)::one).word).wr_def`,
  'attribute notation in CASE': `CASE WHEN true THEN ('direct'::text).wr_def END`,
  'attribute notation in an operator': `('direct'::text).wr_def || 'x'`,
  'attribute notation in a call': `upper(('direct'::text).wr_def)`,
  'attribute notation in ROW and COALESCE': `(ROW(COALESCE(NULL, ('direct'::text).wr_def)))::text`,
  'attribute notation in quotes': `('direct'::text)."wr_def"`,
  'a field of a row that a function makes': `(('direct'::text).made).word`,
  'a plain call': `wr_def('direct')`,
};

const bodies: Readonly<Record<string, string>> = {
  INSERT: 'INSERT INTO t (id, v) VALUES (300, $1)',
  'INSERT SELECT': 'INSERT INTO t SELECT (SELECT max(id) + 1 FROM t), $1',
  UPDATE: 'UPDATE t SET v = $1 WHERE id = 1',
  DELETE: 'DELETE FROM t WHERE v = $1',
  SELECT: 'SELECT $1',
};

const executes = (call: string): readonly string[] => [
  ...[`EXECUTE p(${call})`, 'BEGIN', `EXECUTE p(${call})`, `EXPLAIN EXECUTE p(${call})`, 'COMMIT'],
  ...[`EXPLAIN ANALYZE EXECUTE p(${call})`, 'ROLLBACK'],
];

const programs: readonly Program[] = Object.entries(calls).flatMap(([what, call]) =>
  Object.entries(bodies).map(([kind, body]) => ({
    name: `${what}, of ${kind}`,
    steps: [`PREPARE p(text) AS ${body}`, ...executes(call)],
  })),
);

export const executeArguments: ProgramGroup = {
  name: 'arguments of EXECUTE',
  objects: `${functions}
    CREATE TYPE one AS (word text);
    CREATE FUNCTION made(x text) RETURNS one LANGUAGE sql SECURITY DEFINER AS 'SELECT ROW(public.wr(x))::public.one';`,
  programs,
};
