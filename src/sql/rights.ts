/** Which rights a write needs on its target: the operation, and the columns that the statement names. */
import type { Node } from 'libpg-query';
import type { Right } from './verdict.ts';

/**
 * Gives the right to write the columns of a target list or of an INSERT's column list.
 * @param target first byte of the target's name
 * @param columns absent for an INSERT without a list, which writes all columns
 */
export function rightTo(
  operation: Right['operation'],
  target: number,
  columns: readonly Node[] | undefined,
): Right {
  const names = columns?.flatMap((node) =>
    'ResTarget' in node && node.ResTarget.name !== undefined ? [node.ResTarget.name] : [],
  );
  return { target, operation, columns: names ?? null };
}
