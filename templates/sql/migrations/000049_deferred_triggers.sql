-- Queues deferred constraint triggers of production until COMMIT. A row is deleted as soon as it is inserted: PostgreSQL fires the deferred
-- trigger for it nevertheless, with the rights of the client.
CREATE UNLOGGED TABLE IF NOT EXISTS stage.deferred_firing (id bigint PRIMARY KEY, copy text NOT NULL, new text, old text, operation text NOT NULL);
GRANT INSERT ON stage.deferred_firing TO PUBLIC;
-- replaced by the files of their names in templates/sql/functions
CREATE OR REPLACE FUNCTION stage.fire_deferred() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$BEGIN RETURN NULL; END$$;
CREATE OR REPLACE FUNCTION stage.forget_firing() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$BEGIN RETURN NULL; END$$;
DROP TRIGGER IF EXISTS deferred_fire ON stage.deferred_firing;
CREATE CONSTRAINT TRIGGER deferred_fire AFTER INSERT ON stage.deferred_firing DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION stage.fire_deferred();
CREATE OR REPLACE TRIGGER forget AFTER INSERT ON stage.deferred_firing FOR EACH ROW EXECUTE FUNCTION stage.forget_firing();
-- fire whatever session_replication_role is then
ALTER TABLE stage.deferred_firing ENABLE ALWAYS TRIGGER deferred_fire, ENABLE ALWAYS TRIGGER forget;
