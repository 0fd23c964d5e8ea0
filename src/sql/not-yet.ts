/** Ways to write that PostgreSQL knows and staging does not yet. The one list: a line goes when its staging comes. */
import { refuse } from './refusal.ts';

export const notYet = {
  currentOf: refuse(
    'WHERE CURRENT OF cannot be staged yet',
    'Name the row by its key in the WHERE clause.',
  ),
  explainWrite: refuse(
    'EXPLAIN of a statement that writes is not supported yet',
    'EXPLAIN a SELECT with the same FROM and WHERE clauses.',
  ),
  explainExecute: refuse(
    'EXPLAIN EXECUTE is not supported yet',
    'EXPLAIN the query itself, with its values in place of the parameters.',
  ),
  setConstraints: refuse(
    'SET CONSTRAINTS is not supported yet',
    'Leave it out: constraints are checked when their definitions say.',
  ),
} as const;
