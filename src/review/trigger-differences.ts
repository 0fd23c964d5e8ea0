/** Values that production's triggers set other than while staging, as users see them. */
import type { Queryable } from '../db/database.ts';
import { JsonText, stringifyJson } from '../model/json.ts';
import { rowIdInOrder } from '../model/member-order.ts';

const selectRows = `
SELECT d.value AS row, (SELECT to_jsonb(o.key_columns) FROM stage.overlay o WHERE o.shown_name = d.value ->> 'table' LIMIT 1) AS key
FROM jsonb_array_elements($1::jsonb -> 'rows') WITH ORDINALITY AS d (value, number) ORDER BY d.number`;

/**
 * Puts the columns of composite keys into the order of the keys.
 * @param found the result of `stage.trigger_differences`
 */
export async function shownDifferences(tx: Queryable, found: string): Promise<JsonText> {
  const { count, unexpected } = JSON.parse(found) as { count: number; unexpected: number };
  const rows = await tx.query(selectRows, [found]);
  const shown = rows.map(({ row, key }) =>
    rowIdInOrder(String(row), JSON.parse(key ?? '[]') as string[]),
  );
  return new JsonText(stringifyJson({ count, unexpected, rows: shown }));
}
