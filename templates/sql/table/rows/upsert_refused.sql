-- With row-level security, the colliding row may be one that the role must not know of.
-- Filled in src/overlay/rows/upsert.ts.
CREATE VIEW {{upsert}} AS SELECT {{all_columns}} FROM {{overlay}};
GRANT SELECT, INSERT ON {{upsert}} TO PUBLIC;
CREATE TRIGGER refuse_upsert BEFORE INSERT ON {{upsert}} FOR EACH STATEMENT EXECUTE FUNCTION stage.refuse_upsert();
CREATE TRIGGER refuse_row INSTEAD OF INSERT ON {{upsert}} FOR EACH ROW EXECUTE FUNCTION stage.refuse_upsert();
