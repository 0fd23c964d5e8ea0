/** Builds the copy of a trigger of production: a function that takes the row as a parameter. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { qualifiedName, quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { Table, Trigger } from '../../model/table.ts';
import { asStatement, hasOptions } from '../../sql/functions/plpgsql-block.ts';
import { scanTokens } from '../../sql/parser/parser.ts';
import { spliceBytes } from '../../sql/splice.ts';
import { Obstacle } from '../functions/function-script.ts';
import { overlaySchema, productionName, rowTypeName } from '../object-names.ts';
import { placeCall } from '../partitions.ts';
import { fireInPartitions } from './candidates.ts';

/** Returns the name of a trigger's copy, in a schema that clients may use. That of an owner has a name that the service's never have. */
export function copyName(table: Table, trigger: Trigger): string {
  const kind = trigger.function.definer === null ? 'trigger' : 'definer';
  return `${overlaySchema(table)}.${kind}_${table.oid}_${table.triggers.indexOf(trigger) + 1}`;
}

/** Builds the statement that names the trigger which writes. */
export const nameTrigger = ({ name }: Trigger) =>
  `    PERFORM set_config('stage.trigger', ${quoteLiteral(name)}, true);\n`;

/**
 * Builds the copy.
 * @param body the function's body, with the names of overlays
 * @param path the quoted schemas in which it finds names
 */
export function copySql(table: Table, trigger: Trigger, body: string, path: string): string {
  const { gated, definer } = trigger.function;
  if (gated !== null) return gateSql(table, trigger, gated, path);
  const isRow = trigger.level === 'row';
  const place = isRow && fireInPartitions(table) ? placeOfTrigger(table, body) : null;
  const text = fillSql(loadSql('table/triggers/copy_body.sql'), {
    ...rowsOf(table, isRow),
    level: quoteLiteral(trigger.level.toUpperCase()),
    label: quoteIdentifier(trigger.function.name),
    name: quoteLiteral(trigger.name),
    timing: quoteLiteral(trigger.timing.toUpperCase()),
    oid: place ?? table.oid,
    table_name: place === null ? quoteLiteral(table.name) : 'stage.name_of(tg_relid)',
    schema: place === null ? quoteLiteral(table.schema) : 'stage.schema_of(tg_relid)',
    argument_count: trigger.arguments.length,
    arguments: argumentsOf(trigger),
    body: asStatement(withDepth(Buffer.from(body), 'stage.trigger_depth()')),
  });
  const row = rowTypeName(table);
  const { parameters, types } = furtherParameters(table, isRow);
  const copy = fillSql(loadSql('table/triggers/copy.sql'), {
    function: copyName(table, trigger),
    row_type: row,
    further: parameters,
    rights: definer === null ? '' : 'SECURITY DEFINER ',
    path: `${path}, pg_temp`,
    body: quoteLiteral(text),
  });
  if (definer === null) return copy;
  return fillSql(loadSql('table/triggers/copy_of_owner.sql'), {
    copy,
    name: quoteLiteral(copyName(table, trigger)),
    function: `${copyName(table, trigger)}(${row}, ${row}, text${types})`,
    schema: overlaySchema(table),
    owner: quoteIdentifier(definer.name),
    owner_name: quoteLiteral(definer.name),
  });
}

/**
 * Returns the parameters of a copy behind those of all copies, and their types: a statement has several rows, and a new row of a partition
 * that a statement names has no other partition.
 */
function furtherParameters(table: Table, isRow: boolean) {
  const row = `${rowTypeName(table)}[]`;
  if (!isRow)
    return {
      parameters: `, _stage_p_new_table ${row}, _stage_p_old_table ${row}`,
      types: `, ${row}, ${row}`,
    };
  if (!fireInPartitions(table)) return { parameters: '', types: '' };
  return { parameters: ', _stage_p_place pg_catalog.oid DEFAULT NULL', types: ', oid' };
}

/** Builds an expression for the partition for whose row a trigger fires; null if its body does not read that. */
function placeOfTrigger(table: Table, body: string): string | null {
  if (!/\bTG_(?:RELID|RELNAME|TABLE_NAME|TABLE_SCHEMA)\b/i.test(body)) return null;
  // the partition may have been dropped since the row was staged
  return `coalesce(_stage_p_place, CASE _stage_p_op WHEN 'INSERT' THEN ${placeCall(table, '_stage_p_new.')} ELSE ${placeCall(table, '_stage_p_old.')} END, ${table.oid})`;
}

/** Returns the declarations of NEW and OLD. A trigger of a statement has neither. */
function rowsOf(table: Table, isRow: boolean) {
  if (!isRow) return { new_row: 'pg_catalog.record', old_row: 'pg_catalog.record' };
  // no parameter has a type of the table: that would block migrations
  const type = `${productionName(table)}%ROWTYPE`;
  return { new_row: `${type} := _stage_p_new`, old_row: `${type} := _stage_p_old` };
}

/** Builds the copy of a trigger with a compiled function, and the table through which that fires. @param read the columns that it reads */
function gateSql(table: Table, trigger: Trigger, read: readonly string[], path: string): string {
  const { schema, name } = trigger.function;
  const gate = `gate_${table.oid}_${table.triggers.indexOf(trigger) + 1}`;
  const columns = read.map(quoteLiteral).join(', ');
  const set = `stage.of_write('set', ${table.oid})`;
  // the columns are those of the client's own statement
  const byTrigger = `coalesce(pg_catalog.current_setting('stage.origin', true), '') OPERATOR(pg_catalog.=) 'trigger'`;
  return fillSql(loadSql('table/triggers/gate.sql'), {
    gate: qualifiedName('stage', gate),
    pass: `${overlaySchema(table)}.${gate}`,
    function: copyName(table, trigger),
    row_type: rowTypeName(table),
    fired: qualifiedName(schema, name),
    arguments: trigger.arguments.map(quoteLiteral).join(', '),
    path: `${path}, pg_temp`,
    // guard: a search vector is computed for updates of its columns only
    condition: `_stage_p_op OPERATOR(pg_catalog.=) 'INSERT' OR ${byTrigger} OR coalesce(${set} OPERATOR(pg_catalog.?|) ARRAY[${columns}]::pg_catalog.text[], true)`,
  });
}

/** Returns the value of TG_ARGV: null without arguments; else the subscript of the first one is 0. */
function argumentsOf({ arguments: values }: Trigger): string {
  if (values.length === 0) return 'NULL';
  const elements = values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',');
  return `${quoteLiteral(`[0:${values.length - 1}]={${elements}}`)}::pg_catalog.text[]`;
}

/**
 * Checks that a body can be nested in a block.
 * @throws Obstacle for a body that begins with options such as `#variable_conflict`: these precede a whole body
 */
export function demandBlock(body: string): void {
  if (hasOptions(body)) throw new Obstacle('has options before its body');
}

/** Returns the condition of a trigger, as PostgreSQL deparses it; `true` without one. */
export function conditionOf({ definition }: Trigger): string {
  if (definition === null) return 'true';
  const text = Buffer.from(definition);
  const tokens = scanTokens(text);
  const isWord = (index: number, word: string) => tokens[index]?.text.toUpperCase() === word;
  const start =
    tokens.findIndex(
      (_, at) => (isWord(at, 'ROW') || isWord(at, 'STATEMENT')) && isWord(at + 1, 'WHEN'),
    ) + 2;
  // the words follow the condition, and cannot be arguments of the function
  const end = tokens.findLastIndex((_, at) => isWord(at, 'EXECUTE') && isWord(at + 1, 'FUNCTION'));
  const [from, to] = [tokens[start], tokens[end - 1]];
  if (start < 2 || !from || !to) throw new Obstacle('has a condition that cannot be read');
  return depthOfFirer(text.subarray(from.start, to.end));
}

/**
 * Returns a condition as its copy needs it. PostgreSQL evaluates a condition before its trigger fires, but the copy is evaluated inside the
 * trigger that fires the copies, one level deeper.
 */
const depthOfFirer = (condition: Buffer) => withDepth(condition, '(stage.trigger_depth() - 1)');

/** Returns a text in which other calls stand for those of pg_trigger_depth(): the service's own triggers count as no level. */
function withDepth(text: Buffer, depth: string): string {
  const tokens = scanTokens(text);
  const word = (index: number) => tokens[index]?.text;
  const calls = tokens.flatMap((token, index) => {
    const end = tokens[index + 2]?.end;
    if (token.text !== 'pg_trigger_depth' || word(index + 1) !== '(' || !end) return [];
    const isQualified = word(index - 1) === '.' && word(index - 2) === 'pg_catalog';
    const start = (isQualified ? tokens[index - 2] : token)?.start ?? token.start;
    return [{ start, end, text: depth }];
  });
  // guard: the condition of a trigger counts as many triggers as production's
  return spliceBytes(text, calls).toString();
}
