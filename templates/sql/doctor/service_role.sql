-- The service account: it owns the schemas of the service, and applies what was approved. Run as an administrator; it may be run again,
-- for example after a migration, and a role that is there keeps its password.
{{create}}
ALTER ROLE {{role}} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;
GRANT CONNECT, CREATE, TEMPORARY ON DATABASE {{database}} TO {{role}};
GRANT USAGE ON SCHEMA {{schemas}} TO {{role}};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {{schemas}} TO {{role}};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA {{schemas}} TO {{role}};
-- tables and sequences made later, by whoever runs this
ALTER DEFAULT PRIVILEGES IN SCHEMA {{schemas}} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {{role}};
ALTER DEFAULT PRIVILEGES IN SCHEMA {{schemas}} GRANT USAGE ON SEQUENCES TO {{role}};
{{row_security}}