-- A role for clients of the proxy: it reads, and stages what it writes. Run as an administrator; it may be run again, and a role that
-- is there keeps its password.
{{create}}
ALTER ROLE {{role}} LOGIN
  NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 50;
GRANT CONNECT ON DATABASE {{database}} TO {{role}};
GRANT USAGE ON SCHEMA {{schemas}} TO {{role}};
GRANT SELECT ON ALL TABLES IN SCHEMA {{schemas}} TO {{role}};
-- for clients that draw keys by themselves: nextval(), not setval()
GRANT USAGE ON ALL SEQUENCES IN SCHEMA {{schemas}} TO {{role}};
-- tables and sequences made later, by whoever runs this
ALTER DEFAULT PRIVILEGES IN SCHEMA {{schemas}} GRANT SELECT ON TABLES TO {{role}};
ALTER DEFAULT PRIVILEGES IN SCHEMA {{schemas}} GRANT USAGE ON SEQUENCES TO {{role}};
-- for those who go around the proxy
ALTER ROLE {{role}} SET default_transaction_read_only = on;
-- rights that everybody has unless they are revoked; check first who else needs them
REVOKE TEMPORARY ON DATABASE {{database}} FROM PUBLIC;
{{temporary}}REVOKE CREATE ON SCHEMA {{schemas}} FROM PUBLIC;
