-- Marks the stand-ins of relations and functions as outdated, except those of the given generation: each is rebuilt when it is next
-- used (see stage.fits). Staged functions block no transaction: they get an empty stamp, and stage.release_functions drops them.
CREATE OR REPLACE FUNCTION stage.mark_outdated(p_generation text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  -- guard: objects of other releases are rebuilt
  UPDATE stage.overlay SET stamp = 'outdated ' || stamp WHERE generation IS DISTINCT FROM p_generation AND NOT starts_with(stamp, 'outdated ');
  UPDATE stage.tree SET stamp = 'outdated ' || stamp WHERE generation IS DISTINCT FROM p_generation AND NOT starts_with(stamp, 'outdated ');
  UPDATE stage.staged_view SET stamp = 'outdated ' || stamp WHERE generation IS DISTINCT FROM p_generation AND NOT starts_with(stamp, 'outdated ');
  UPDATE stage.staged_function SET stamp = '' WHERE generation IS DISTINCT FROM p_generation AND stamp <> '';
$$;
REVOKE ALL ON FUNCTION stage.mark_outdated(text) FROM PUBLIC;
