-- Returns the operator by which two values of an index column collide: that of an exclusion constraint or of a key WITHOUT OVERLAPS, else
-- the equality of the operator class.
CREATE OR REPLACE FUNCTION stage.index_operator(p_index oid, p_position int) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT format('OPERATOR(%I.%s)', n.nspname, o.oprname)
    FROM pg_index i
    JOIN pg_opclass c ON c.oid = i.indclass[p_position - 1]
    -- there is no index on conindid
    LEFT JOIN pg_constraint k ON k.conrelid = i.indrelid AND k.conindid = i.indexrelid AND k.conexclop IS NOT NULL
    LEFT JOIN pg_amop m ON m.amopfamily = c.opcfamily AND m.amopstrategy = 3
      AND m.amoplefttype = c.opcintype AND m.amoprighttype = c.opcintype
    JOIN pg_operator o ON o.oid = coalesce(k.conexclop[p_position], m.amopopr)
    JOIN pg_namespace n ON n.oid = o.oprnamespace
    WHERE i.indexrelid = p_index
  );
END $$;
