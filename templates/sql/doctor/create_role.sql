DO $_stage_role$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = {{name}}) THEN
    CREATE ROLE {{role}} LOGIN PASSWORD 'change me';
  END IF;
END $_stage_role$;
