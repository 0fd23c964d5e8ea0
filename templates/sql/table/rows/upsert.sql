-- INSERT ... ON CONFLICT goes through a view of its own. Its trigger runs with the client's rights, because it evaluates the client's own
-- DO UPDATE expressions; the overlay stages each row.
-- Filled in src/overlay/rows/upsert.ts: `arbiters` is the expression for the names of the indexes, `key_matches` that for the condition
-- that finds the colliding row; `await` waits for other connections, until `is_certain`. The parts that depend on row-level security come
-- from colliding-row.ts in the same folder: `reported` is what is known of the colliding row.
CREATE VIEW {{upsert}} AS SELECT {{all_columns}} FROM {{overlay}};
GRANT SELECT, INSERT ON {{upsert}} TO PUBLIC;

-- Fills a new row and returns the row that it collides with; row constraints come first, as in PostgreSQL.
-- _stage_p_arbiters: names of the unique indexes that count, null for all.
-- Clients can call it directly, unless the table has row-level security: it returns rows only to those who may read them. `role` is the
-- role that the caller has set by SET ROLE.
CREATE FUNCTION {{collision}}(INOUT new {{upsert}}, _stage_p_arbiters jsonb, _stage_p_update boolean, OUT {{reported}})
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_session uuid := current_setting('stage.session')::uuid;
  _stage_v_awaited {{upsert}};
{{unreported}}BEGIN
  IF NOT has_table_privilege(coalesce(nullif(current_setting('role'), 'none'), session_user), {{named_oid}}, 'SELECT') THEN
    RAISE EXCEPTION 'permission denied for table %', {{table_literal}} USING ERRCODE = 'insufficient_privilege';
  END IF;
  -- guard: a row that is in the way is not shown past policies that came after the overlay
  IF {{shows_row}} AND EXISTS (SELECT FROM pg_class c WHERE c.oid = {{named_oid}} AND c.relrowsecurity) THEN PERFORM stage.raise_altered({{named_oid}}); END IF;
{{prepare_row}}
{{row_checks}}
  LOOP
    _stage_v_row := NULL;
{{find_collision}}
    EXIT WHEN {{is_certain}};
    -- another connection may be about to remove the colliding row, or to change it
    {{await}}
    _stage_v_awaited := _stage_v_row;
  END LOOP;
  IF _stage_p_update AND NOT (_stage_v_row IS NULL) THEN
    PERFORM 1 FROM {{shadow}} s
    WHERE s._stage_session = _stage_v_session AND s._stage_head AND {{s_key_matches_v_row}}
      -- guard: rows that triggers wrote before are no rows of this statement
      AND s._stage_mutation = current_setting('stage.mutation_{{key}}')::bigint AND s._stage_seq > current_setting('stage.start_{{key}}')::bigint;
    IF FOUND THEN
      RAISE EXCEPTION 'ON CONFLICT DO UPDATE command cannot affect row a second time' USING ERRCODE = '21000',
        HINT = 'Ensure that no rows proposed for insertion within the same command have duplicate constrained values.';
    END IF;
    -- guard: DO UPDATE reads no rows that its own statement has staged, which PostgreSQL would not show to it
    IF current_setting('stage.conflict_{{oid}}')::jsonb ? 'readsItself' AND EXISTS (
      SELECT FROM {{shadow}} s WHERE s._stage_session = _stage_v_session
      AND s._stage_mutation = current_setting('stage.mutation_{{key}}')::bigint AND s._stage_seq > current_setting('stage.start_{{key}}')::bigint)
    THEN
      RAISE EXCEPTION 'cannot stage ON CONFLICT DO UPDATE of several rows that reads %', {{table_literal}}
        USING ERRCODE = 'feature_not_supported', HINT = 'Insert the rows one by one, or compute the values in the query of the INSERT.';
    END IF;
  END IF;
END $body$;
{{searching}}
-- Returns the client's DO UPDATE as a statement on the overlay: $1 is the new row, $2 the one that it collides with. Where the client has
-- written to a view, it is a statement on that view's conflict view.
CREATE FUNCTION {{update}}(p_conflict pg_catalog.jsonb) RETURNS pg_catalog.text
LANGUAGE plpgsql AS $body$
DECLARE
  _stage_v_alias pg_catalog.text := pg_catalog.quote_ident(p_conflict OPERATOR(pg_catalog.->>) 'alias');
  _stage_v_row pg_catalog.text := _stage_v_alias;
  _stage_v_target pg_catalog.text := '{{overlay_literal}}';
  _stage_v_excluded pg_catalog.text := 'SELECT ($1).*';
BEGIN
  IF p_conflict OPERATOR(pg_catalog.?) 'view' THEN
    SELECT pg_catalog.concat('stage.conflict_', t.relation), t.of_row INTO STRICT _stage_v_target, _stage_v_excluded
    FROM stage.staged_view t
    WHERE t.relation OPERATOR(pg_catalog.=) (p_conflict OPERATOR(pg_catalog.->>) 'view')::pg_catalog.oid;
    _stage_v_row := pg_catalog.concat('(', _stage_v_alias, '._stage_row)');
  END IF;
  RETURN pg_catalog.concat('UPDATE ', _stage_v_target, ' AS ', _stage_v_alias, ' SET ', stage.with_values(p_conflict OPERATOR(pg_catalog.->) 'set'),
    ' FROM (', _stage_v_excluded, ') AS excluded WHERE ', {{key_matches}}, ' AND (' OPERATOR(pg_catalog.||) stage.with_values(p_conflict OPERATOR(pg_catalog.->) 'where') OPERATOR(pg_catalog.||) ')',
    ' RETURNING ', _stage_v_row, '.*');
END $body$;

-- BEFORE STATEMENT trigger: builds the statement of a DO UPDATE, and raises its errors also where no row collides.
CREATE FUNCTION {{analyse}}() RETURNS trigger
LANGUAGE plpgsql AS $body$
DECLARE
  _stage_v_conflict pg_catalog.jsonb := pg_catalog.current_setting('stage.conflict_{{oid}}')::pg_catalog.jsonb;
  _stage_v_update pg_catalog.text;
BEGIN
  IF _stage_v_conflict OPERATOR(pg_catalog.->>) 'action' OPERATOR(pg_catalog.=) 'update' THEN
    _stage_v_update := {{update}}(_stage_v_conflict);
    EXECUTE 'EXPLAIN ' OPERATOR(pg_catalog.||) _stage_v_update USING NULL::{{upsert}}, NULL::{{upsert}};
    PERFORM pg_catalog.set_config('stage.update_{{oid}}', _stage_v_update, true);
    IF _stage_v_conflict OPERATOR(pg_catalog.?) 'reads' AND stage.reads_itself(_stage_v_conflict OPERATOR(pg_catalog.->) 'reads', {{oid}}) THEN
      PERFORM pg_catalog.set_config('stage.conflict_{{oid}}', (_stage_v_conflict OPERATOR(pg_catalog.||) '{"readsItself": true}')::pg_catalog.text, true);
    END IF;
  END IF;
  RETURN NULL;
END $body$;

{{fired_function}}CREATE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_conflict pg_catalog.jsonb := pg_catalog.current_setting('stage.conflict_{{oid}}')::pg_catalog.jsonb;
  _stage_v_arbiters pg_catalog.jsonb := {{arbiters}};
  _stage_v_overriding pg_catalog.text;
  _stage_v_collision pg_catalog.record;
  _stage_v_new {{upsert}};
  _stage_v_row {{upsert}};
  _stage_v_rows int := 1;
{{fired_variables}}BEGIN
  -- the statements below are a part of this one: their rows are checked when it ends
  PERFORM pg_catalog.set_config('stage.mutation', pg_catalog.current_setting('stage.mutation_{{key}}'), true),
          pg_catalog.set_config('stage.check_later', 'on', true);
{{fire_triggers}}{{read_collision}}{{end_firing}}  _stage_v_new := _stage_v_collision.new;
{{find_row}}{{give_up}}  IF {{is_free}} THEN
    _stage_v_overriding := pg_catalog.current_setting('stage.overriding_{{oid}}', true);
    PERFORM pg_catalog.set_config('stage.overriding_{{oid}}', 'system', true),
            pg_catalog.set_config('stage.upserted_{{oid}}', coalesce(_stage_v_arbiters, 'null')::pg_catalog.text, true);
{{hand_on_made}}    INSERT INTO {{overlay}} ({{columns}}) VALUES ({{given_columns}});
    PERFORM pg_catalog.set_config('stage.overriding_{{oid}}', _stage_v_overriding, true),
            pg_catalog.set_config('stage.upserted_{{oid}}', '', true);
    _stage_v_row := _stage_v_new;
  ELSIF _stage_v_conflict OPERATOR(pg_catalog.->>) 'action' OPERATOR(pg_catalog.=) 'nothing' THEN
    _stage_v_rows := 0;
  ELSE
{{begin_update}}    PERFORM stage.enter_part(1);
    EXECUTE pg_catalog.current_setting('stage.update_{{oid}}') INTO _stage_v_row USING _stage_v_new, _stage_v_row;
    GET DIAGNOSTICS _stage_v_rows = ROW_COUNT;
    PERFORM stage.enter_part(-1);
{{end_update}}  END IF;
  PERFORM pg_catalog.set_config('stage.check_later', '', true);
  IF _stage_v_rows OPERATOR(pg_catalog.=) 0 THEN RETURN NULL; END IF;  -- a row may be all nulls
  RETURN _stage_v_row;
END $body$;

CREATE TRIGGER allow_upsert BEFORE INSERT ON {{upsert}}
FOR EACH STATEMENT EXECUTE FUNCTION stage.demand_rights({{named_oid}});
CREATE TRIGGER analyse_upsert BEFORE INSERT ON {{upsert}}
FOR EACH STATEMENT EXECUTE FUNCTION {{analyse}}();
CREATE TRIGGER before_upsert BEFORE INSERT ON {{upsert}}
FOR EACH STATEMENT EXECUTE FUNCTION stage.before_statement('{{key}}');
{{first_trigger}}CREATE TRIGGER stage_upsert INSTEAD OF INSERT ON {{upsert}}
FOR EACH ROW EXECUTE FUNCTION {{function}}();
CREATE TRIGGER after_upsert AFTER INSERT ON {{upsert}}
FOR EACH STATEMENT EXECUTE FUNCTION {{after_function}}();
{{after_triggers}}