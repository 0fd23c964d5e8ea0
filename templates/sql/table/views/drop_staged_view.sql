-- Drops a staged view with everything that stands on it.
DROP VIEW IF EXISTS {{overlay}}, {{upsert}}, {{conflict}} CASCADE;
SELECT stage.drop_overlay({{oid}});
DROP TYPE IF EXISTS {{row_type}};
