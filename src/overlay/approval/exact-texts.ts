/** The function of a table that returns what a row's JSON loses of its values. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { ExactTextKind, Table } from '../../model/table.ts';
import { functionName, rowTypeName } from '../object-names.ts';

/** Builds `texts_<oid>`. */
export function exactTextsSql(table: Table): string {
  return fillSql(loadSql('table/approval/texts.sql'), {
    function: functionName(table, 'texts'),
    row_type: rowTypeName(table),
    body: quoteLiteral(`SELECT ${exactTexts(table, 'r.')} FROM (SELECT ($1).*) r`),
  });
}

/** Builds the expression for these texts. @param prefix of the row's columns, e.g. `p.` */
export function exactTexts({ columns }: Table, prefix: string): string {
  const names: string[] = [];
  const texts: string[] = [];
  for (const { name, exactText } of columns) {
    if (exactText === null) continue;
    names.push(quoteLiteral(name));
    texts.push(texted[exactText](prefix + quoteIdentifier(name)));
  }
  if (names.length === 0) return 'NULL::pg_catalog.jsonb';
  return `stage.texts_of_row(ARRAY[${names.join(', ')}]::pg_catalog.text[], ARRAY[${texts.join(', ')}]::pg_catalog.text[])`;
}

/** Builds the output of a type's output function: a cast to text may be user-defined. */
const output = (value: string) => `pg_catalog.format('%s', ${value})`;

const otherBounds = (value: string) =>
  `pg_catalog.array_dims(${value}) OPERATOR(pg_catalog.~) '\\[(?!1:)'`;

/** Builds the text of a value, or NULL where the JSON represents it exactly. */
const texted: Readonly<Record<ExactTextKind, (value: string) => string>> = {
  // JSON null, and strings: `"1"` is displayed without its quotes
  jsonb: (value) =>
    `CASE WHEN pg_catalog.jsonb_typeof(${value}) OPERATOR(pg_catalog.=) ANY (ARRAY['null', 'string']) THEN ${output(value)} END`,
  float: (value) =>
    `CASE WHEN ${value} OPERATOR(pg_catalog.=) 0 AND ${output(value)} OPERATOR(pg_catalog.=) '-0' THEN '-0' END`,
  // the output of a document lacks its declaration
  xml: (value) =>
    `CASE WHEN ${output(value)} OPERATOR(pg_catalog.<>) ${value}::pg_catalog.text THEN ${value}::pg_catalog.text END`,
  // overloaded functions all have the same text
  'object name': (value) => `${value}::pg_catalog.oid::pg_catalog.text`,
  array: (value) => `CASE WHEN ${otherBounds(value)} THEN ${output(value)} END`,
  'float array': (value) =>
    `CASE WHEN ${otherBounds(value)} OR ${output(value)} OPERATOR(pg_catalog.~) '[{,]-0[,}]' THEN ${output(value)} END`,
  any: (value) => `CASE WHEN ${value} IS DISTINCT FROM NULL THEN ${output(value)} END`,
};
