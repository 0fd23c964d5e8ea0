
-- Searches for the colliding row in a table with row-level security. As a trigger of the view behind that of the policies, it searches
-- only for rows that the client may insert; nobody else may search, nor attach it to a table of his own.
-- Filled in src/overlay/rows/colliding-row.ts.
-- guard: nobody searches among rows that policies hide
REVOKE ALL ON FUNCTION {{collision}}({{upsert}}, jsonb, boolean) FROM PUBLIC;
CREATE FUNCTION {{search}}() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  _stage_v_conflict jsonb := current_setting('stage.conflict_{{oid}}');
  _stage_v_collision record;
BEGIN
  PERFORM set_config('stage.mutation', current_setting('stage.mutation_{{key}}'), true);
  _stage_v_collision := {{collision}}(NEW, {{arbiters}}, _stage_v_conflict ->> 'action' = 'update');
  PERFORM set_config('stage.collides_{{oid}}', coalesce(_stage_v_collision._stage_v_index, ''), true);
  RETURN _stage_v_collision.new;
END $body$;
REVOKE ALL ON FUNCTION {{search}}() FROM PUBLIC;
CREATE TRIGGER search_collision INSTEAD OF INSERT ON {{upsert}} FOR EACH ROW EXECUTE FUNCTION {{search}}();
