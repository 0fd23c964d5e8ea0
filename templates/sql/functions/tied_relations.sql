-- Returns the staged tables whose rows can be tied to rows of the given ones: foreign keys or rows that triggers inserted connect them.
CREATE OR REPLACE FUNCTION stage.tied_relations(p_session uuid, p_relations oid[]) RETURNS SETOF oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE staged AS MATERIALIZED (
    SELECT r AS relation FROM stage.staged_relations(p_session) AS r
  ), links AS MATERIALIZED (
    SELECT coalesce(pg_partition_root(k.conrelid), k.conrelid)::oid AS one, coalesce(pg_partition_root(k.confrelid), k.confrelid)::oid AS other
    FROM pg_constraint k WHERE k.contype = 'f'
    UNION
    SELECT e.cause_relation::oid, e.relation::oid FROM stage.effect e WHERE e.session = p_session
  ), both_ways AS MATERIALIZED (
    SELECT l.one, l.other FROM links l UNION SELECT l.other, l.one FROM links l
  ), reached AS (
    SELECT s.relation FROM staged s WHERE s.relation = ANY (p_relations)
    UNION
    SELECT b.other FROM reached r JOIN both_ways b ON b.one = r.relation
    WHERE b.other IN (SELECT s.relation FROM staged s)
  )
  SELECT r.relation FROM reached r
$$;
REVOKE ALL ON FUNCTION stage.tied_relations(uuid, oid[]) FROM PUBLIC;
