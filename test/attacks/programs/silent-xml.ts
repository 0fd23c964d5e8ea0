/** Functions of PostgreSQL that read tables and views by name or OID, and so run the functions that views call. */
import type { Program, ProgramGroup } from './program.ts';
import { functions } from './program.ts';

const calls: readonly string[] = [
  `table_to_xml('writing'::regclass, true, false, '')`,
  `table_to_xml_and_xmlschema('writing'::regclass, true, false, '')`,
  `schema_to_xml('public', true, false, '')`,
  `schema_to_xml_and_xmlschema('public', true, false, '')`,
  `database_to_xml(true, false, '')`,
  `database_to_xml_and_xmlschema(true, false, '')`,
  `table_to_xml('writing', true, false, '')`,
  `table_to_xml('public.writing', true, false, '')`,
];

/** Places in a staged write, or beside a nextval, that call them. */
const callPlaces: Readonly<Record<string, (call: string) => string>> = {
  'INSERT SELECT': (call) => `INSERT INTO t SELECT 900, (${call})::text`,
  'INSERT VALUES': (call) => `INSERT INTO t VALUES (901, (${call})::text)`,
  UPDATE: (call) => `UPDATE t SET v = (${call})::text WHERE id = 1`,
  WHERE: (call) => `UPDATE t SET v = 'x' WHERE (${call}) IS NOT NULL`,
  DELETE: (call) => `DELETE FROM t WHERE id = 2 AND (${call}) IS NOT NULL`,
  RETURNING: (call) => `UPDATE t SET v = 'x' WHERE id = 1 RETURNING (${call})::text`,
  'ON CONFLICT': (call) =>
    `INSERT INTO t VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET v = (${call})::text`,
  MERGE: (call) =>
    `MERGE INTO t USING (VALUES (4)) s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = (${call})::text`,
  'a WITH query': (call) =>
    `WITH x AS (SELECT (${call})::text AS v) UPDATE t SET v = x.v FROM x WHERE id = 3`,
  'beside nextval()': (call) => `SELECT nextval('numbers'), (${call})::text`,
};

/** Returns programs that call each of the expressions in each place. For a reader, a read is enough. */
export const inEveryPlace = (calls: readonly string[]): Program[] =>
  calls.flatMap((call) => [
    {
      name: `${call} in a write`,
      steps: Object.values(callPlaces).flatMap((place) => [place(call)]),
      roles: ['writer'] as const,
    },
    {
      name: `${call} in a transaction`,
      steps: ['BEGIN', `UPDATE t SET v = 'x' WHERE id = 1`, `SELECT (${call})::text`, 'COMMIT'],
    },
  ]);

export const silentXml: ProgramGroup = {
  name: 'tables as XML',
  objects: `${functions} CREATE VIEW writing AS SELECT wr('view') AS v;`,
  programs: inEveryPlace(calls),
};
