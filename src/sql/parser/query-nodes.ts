/**
 * The node types of PostgreSQL's raw parse trees that may stand inside a query and ask for nothing but being walked
 * through. A type that is neither here nor handled by name makes the statement refused: a grammar newer than these
 * lists must not be classified by guessing.
 */

/** Holds other nodes. */
export const plainQueryNodes = names(`
  A_ArrayExpr A_Expr A_Indices Alias BoolExpr BooleanTest CTECycleClause CTESearchClause CaseExpr CaseWhen
  CoalesceExpr CollateClause ColumnDef GroupingFunc GroupingSet JoinExpr JsonAggConstructor JsonArgument JsonArrayAgg
  JsonArrayConstructor JsonArrayQueryConstructor JsonBehavior JsonFormat JsonFuncExpr JsonIsPredicate JsonKeyValue
  JsonObjectAgg JsonObjectConstructor JsonOutput JsonParseExpr JsonReturning JsonScalarExpr JsonSerializeExpr
  JsonTable JsonTableColumn JsonTablePathSpec JsonValueExpr List MergeWhenClause MinMaxExpr NamedArgExpr NullTest
  RangeSubselect RangeTableFunc RangeTableFuncCol RangeTableSample ResTarget ReturningOption RowExpr SortBy SubLink
  TypeCast WindowDef XmlExpr XmlSerialize`);

/** Holds nothing of interest. */
export const leafQueryNodes = names(`
  A_Const A_Star BitString Boolean Float Integer MergeSupportFunc ParamRef SQLValueFunction SetToDefault String TypeName`);

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
