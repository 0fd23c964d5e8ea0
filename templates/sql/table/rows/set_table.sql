-- The table through which rows that come as a set get into the shadow table without a trigger for each of them: its only partition is the
-- shadow, or another such table. Triggers and defaults of the whole are its own: nothing changes for what is written to the shadow itself.
-- The staging columns get their values from the defaults.
-- Filled in src/overlay/rows/load.ts: `partition` is the shadow or the other table, `key` names table and operation, e.g. 16402_u.
CREATE TABLE {{set_table}} (LIKE {{shadow}}) PARTITION BY LIST (_stage_op);
ALTER TABLE {{set_table}}
  ALTER _stage_seq SET DEFAULT nextval('stage.seq'),
  ALTER _stage_session SET DEFAULT current_setting('stage.session')::uuid,
  ALTER _stage_mutation SET DEFAULT current_setting('stage.mutation_{{key}}')::bigint,
  ALTER _stage_op SET DEFAULT {{op}},
  ALTER _stage_origin SET DEFAULT 'client',
  ALTER _stage_head SET DEFAULT true,
  ALTER _stage_first SET DEFAULT {{is_first}},
  ALTER _stage_check SET DEFAULT {{is_checked}};
ALTER TABLE {{set_table}} ATTACH PARTITION {{partition}} DEFAULT;

CREATE TRIGGER allow_load BEFORE INSERT ON {{set_table}}
FOR EACH STATEMENT EXECUTE FUNCTION stage.demand_rights({{oid}}, '{{operation}}');
CREATE TRIGGER before_load BEFORE INSERT ON {{set_table}}
FOR EACH STATEMENT EXECUTE FUNCTION stage.before_statement('{{key}}', '{{operation}}');
CREATE TRIGGER stage_load AFTER INSERT ON {{set_table}} REFERENCING NEW TABLE AS inserted
FOR EACH STATEMENT EXECUTE FUNCTION {{after_function}}('{{operation}}');
ALTER TABLE {{set_table}} ENABLE ALWAYS TRIGGER allow_load, ENABLE ALWAYS TRIGGER before_load, ENABLE ALWAYS TRIGGER stage_load;
