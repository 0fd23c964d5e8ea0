-- Returns the arguments of a trigger. p_arguments: as in pg_trigger, each with a zero byte behind it.
CREATE OR REPLACE FUNCTION stage.trigger_arguments(p_arguments bytea, p_count int) RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(array_agg(convert_from(decode(replace(x.value, ' ', ''), 'hex'), getdatabaseencoding()) ORDER BY x.place), '{}')
  FROM unnest(string_to_array(regexp_replace(encode(p_arguments, 'hex'), '(..)', '\1 ', 'g'), '00 ')) WITH ORDINALITY x(value, place)
  WHERE x.place <= p_count
$$;
