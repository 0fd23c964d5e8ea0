/**
 * The node types of PostgreSQL's raw parse trees that may occur in a query and need no handling of their own. A statement with a type that
 * is neither here nor handled by name is refused, because a newer grammar must not be classified by guessing.
 */

/** Nodes that contain other nodes. */
export const plainQueryNodes = names(`
  A_ArrayExpr A_Expr A_Indices Alias BoolExpr BooleanTest CTECycleClause CTESearchClause CaseExpr CaseWhen
  CoalesceExpr CollateClause ColumnDef GroupingFunc GroupingSet JoinExpr JsonAggConstructor JsonArgument JsonArrayAgg
  JsonArrayConstructor JsonArrayQueryConstructor JsonBehavior JsonFormat JsonFuncExpr JsonIsPredicate JsonKeyValue
  JsonObjectAgg JsonObjectConstructor JsonOutput JsonParseExpr JsonReturning JsonScalarExpr JsonSerializeExpr
  JsonTable JsonTableColumn JsonTablePathSpec JsonValueExpr List MergeWhenClause MinMaxExpr NamedArgExpr NullTest
  RangeSubselect RangeTableFunc RangeTableFuncCol RangeTableSample ResTarget ReturningOption RowExpr SortBy SubLink
  TypeCast WindowDef XmlExpr XmlSerialize`);

/** Nodes that contain nothing relevant. */
export const leafQueryNodes = names(`
  A_Const A_Star BitString Boolean Float Integer MergeSupportFunc ParamRef SQLValueFunction SetToDefault String TypeName`);

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
