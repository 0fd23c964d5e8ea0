-- The tables in which the connection's session may have staged rows. A connection without a session has none. Conditions of a client do not
-- see the rows of other sessions.
CREATE OR REPLACE VIEW stage.own_table WITH (security_barrier = true) AS
SELECT t.relation FROM stage.staged_table t WHERE t.session = nullif(pg_catalog.current_setting('stage.session', true), '')::uuid;
GRANT SELECT ON stage.own_table TO PUBLIC;

-- Sessions that began before stage.staged_table existed may have staged rows in any table.
INSERT INTO stage.staged_table (session, relation)
SELECT s.id, o.relation FROM stage.session s CROSS JOIN stage.overlay o WHERE NOT s.has_tables
  AND NOT EXISTS (SELECT FROM stage.staged_table t WHERE t.session = s.id AND t.relation = o.relation AND NOT t.by_right);
UPDATE stage.session SET has_tables = true WHERE NOT has_tables;
