-- Returns the functions that an aggregate calls for each row, at the end, as a window moves, and between workers; none for other functions.
CREATE OR REPLACE FUNCTION stage.called_by_aggregate(p_function oid) RETURNS SETOF oid
LANGUAGE sql STABLE AS $$
  SELECT s.function
  FROM pg_catalog.pg_aggregate a
  CROSS JOIN LATERAL pg_catalog.unnest(ARRAY[a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggmtransfn,
    a.aggminvtransfn, a.aggmfinalfn]::pg_catalog.oid[]) s(function)
  WHERE a.aggfnoid::pg_catalog.oid OPERATOR(pg_catalog.=) p_function AND s.function OPERATOR(pg_catalog.<>) 0::pg_catalog.oid
$$;
