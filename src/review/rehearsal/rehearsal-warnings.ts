/** Warnings of a rehearsal: effects that a rollback does not undo, and effects that could not be checked. */
import type { Queryable, Row } from '../../db/database.ts';
import { shownName } from '../../model/table.ts';

const selectWarnings = `
SELECT w.*, $2::boolean AND NOT stage.is_readable($1, w.relation) AS hidden FROM stage.rehearsal_warnings() w`;

/** Reads the warnings. @param readableOnly whether tables that a role that staged in the session may not read are left out */
export async function readWarnings(
  tx: Queryable,
  uuid: string,
  readableOnly: boolean,
): Promise<string[]> {
  const rows = await tx.query(selectWarnings, [uuid, String(readableOnly)]);
  return rows.filter((row) => row['hidden'] !== 't').map(inWords);
}

function inWords(row: Row): string {
  const { kind, trigger_name: trigger, function_name: called, language } = row;
  const name = shownName(String(row['schema_name']), String(row['name']));
  if (kind === 'sequence')
    return `the sequence ${name} has moved on, and stays so: numbers that were drawn do not come back`;
  if (kind === 'foreign')
    return `the foreign table ${name} was written: what stays of it is up to the server behind it`;
  if (kind === 'whole')
    return `${name} was truncated, altered or locked as a whole: its rows were not compared`;
  return `the trigger ${trigger} on ${name} runs ${called} (${language}), which can do what no rollback takes back`;
}
