-- Returns the given session if it is the connection's own, else NULL: this condition separates sessions in every overlay view.
-- PostgreSQL may evaluate any condition of the client on a view for a row before the view's own conditions reject it, and show the row's
-- values in an error. It evaluates cheaper conditions first, those of equal cost in the order of nesting; nothing is cheaper than this.
-- Everything is qualified, because it runs under the client's search_path.
CREATE OR REPLACE FUNCTION stage.own_session(p_session uuid) RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1e-45 AS $$
BEGIN
  RETURN CASE WHEN p_session OPERATOR(pg_catalog.=) pg_catalog.current_setting('stage.session')::pg_catalog.uuid THEN p_session END;
END $$;
