/** Finds the parts that PL/pgSQL functions that write must not have, because these parts would reveal the staging. */
import { collectNodes } from '../parser/syntax-tree.ts';

/**
 * The conditions that exception blocks may name: those that staging raises where PostgreSQL does, and `others`, which passes on refusals of
 * the service.
 */
const known = new Set(
  `array_subscript_error assert_failure cardinality_violation character_not_in_repertoire check_violation
  datetime_field_overflow division_by_zero error_in_assignment exclusion_violation foreign_key_violation
  integrity_constraint_violation others invalid_datetime_format invalid_parameter_value invalid_regular_expression
  invalid_text_representation no_data_found not_null_violation null_value_not_allowed numeric_value_out_of_range
  raise_exception string_data_right_truncation substring_error too_many_rows unique_violation`.split(
    /\s+/,
  ),
);

/** The SQLSTATEs of these conditions, and those that functions choose themselves. */
const knownStates = /^(?:22|23|P0|[I-RU-Z][0-9A-Z])[0-9A-Z]{3}$/;

/** The items of GET DIAGNOSTICS that name internal objects. */
const telling = new Set(['PG_CONTEXT', 'PG_EXCEPTION_CONTEXT', 'PG_ROUTINE_OID', 'SCHEMA_NAME']);

interface Named {
  readonly condname?: string;
  readonly kind?: string;
}

/** Returns whether a parsed body catches unknown errors, or inspects where it runs. */
export function hasHazard(tree: object): boolean {
  const conditions = collectNodes(tree, 'PLpgSQL_condition') as readonly Named[];
  const items = collectNodes(tree, 'PLpgSQL_diag_item') as readonly Named[];
  return (
    conditions.some(({ condname = '' }) => !known.has(condname) && !knownStates.test(condname)) ||
    items.some(({ kind = '' }) => telling.has(kind))
  );
}
