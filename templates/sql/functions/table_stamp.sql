-- A cheap witness that nothing in the catalogs of a table was rewritten: row versions of its entries.
-- It may change when the definition did not (a GRANT does it); it does change when the definition did.
CREATE OR REPLACE FUNCTION stage.table_stamp(p_relation oid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
BEGIN
  RETURN (
    SELECT concat_ws('.', c.xmin,
      (SELECT sum(a.xmin::text::bigint) FROM pg_attribute a WHERE a.attrelid = p_relation AND a.attnum > 0),
      (SELECT sum(d.xmin::text::bigint) FROM pg_attrdef d WHERE d.adrelid = p_relation),
      (SELECT sum(k.xmin::text::bigint) FROM pg_constraint k WHERE k.conrelid = p_relation),
      (SELECT sum(i.xmin::text::bigint) FROM pg_index i WHERE i.indrelid = p_relation),
      (SELECT sum(t.xmin::text::bigint) FROM pg_trigger t WHERE t.tgrelid = p_relation))
    FROM pg_class c WHERE c.oid = p_relation);
END $$;
