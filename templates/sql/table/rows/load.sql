-- Rows that come as a set are put into the shadow table without a trigger for each of them: through a table whose only partition the
-- shadow is. Triggers and defaults of the whole are its own: nothing changes for what is written to the shadow itself. What is said of
-- the rows as staged ones comes from the defaults. The view has none of those columns, and on the table clients have no right but to
-- fill the others: a COPY names the table, for PostgreSQL fills no view by one.
CREATE TABLE {{load_table}} (LIKE {{shadow}}) PARTITION BY LIST (_stage_op);
ALTER TABLE {{load_table}}
  ALTER _stage_seq SET DEFAULT nextval('stage.seq'),
  ALTER _stage_session SET DEFAULT current_setting('stage.session')::uuid,
  ALTER _stage_mutation SET DEFAULT current_setting('stage.mutation_{{key}}')::bigint,
  ALTER _stage_op SET DEFAULT 'I',
  ALTER _stage_origin SET DEFAULT 'client',
  ALTER _stage_head SET DEFAULT true,
  ALTER _stage_first SET DEFAULT false,
  ALTER _stage_check SET DEFAULT true;
ALTER TABLE {{load_table}} ATTACH PARTITION {{shadow}} DEFAULT;

CREATE VIEW {{load}} AS SELECT {{columns}} FROM {{load_table}};
GRANT INSERT ON {{load}} TO PUBLIC;
GRANT INSERT ({{columns}}) ON {{load_table}} TO PUBLIC;

CREATE TRIGGER allow_load BEFORE INSERT ON {{load_table}}
FOR EACH STATEMENT EXECUTE FUNCTION stage.demand_rights({{oid}});
CREATE TRIGGER before_load BEFORE INSERT ON {{load_table}}
FOR EACH STATEMENT EXECUTE FUNCTION stage.before_statement('{{key}}');
CREATE TRIGGER stage_load AFTER INSERT ON {{load_table}} REFERENCING NEW TABLE AS brought
FOR EACH STATEMENT EXECUTE FUNCTION {{after_function}}();
ALTER TABLE {{load_table}} ENABLE ALWAYS TRIGGER allow_load, ENABLE ALWAYS TRIGGER before_load, ENABLE ALWAYS TRIGGER stage_load;
