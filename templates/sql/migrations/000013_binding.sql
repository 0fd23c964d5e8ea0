-- OIDs mean something in one database only: a dump that is restored brings them into another one, where they are those of other
-- tables. Here stands which database it is, and by what name each overlay finds its table in any other.

-- The database in which the OIDs of this schema were last good. What is made here is told apart by stage.is_bound().
CREATE TABLE stage.identity (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  -- Of the cluster; null where nobody could say.
  system_identifier text,
  database oid NOT NULL,
  -- The OID of stage.overlay: a restore makes it anew, also in the same database.
  registry oid NOT NULL,
  -- The transaction that wrote this row: a row that was restored is another one's.
  written xid8 NOT NULL DEFAULT pg_current_xact_id()
);
-- of no database: the first daemon that comes binds the overlays that are there
INSERT INTO stage.identity (database, registry) VALUES (0, 0);
GRANT SELECT ON stage.identity TO PUBLIC;

-- A dump holds a regclass as the name that the table has when it is made, so this stays with the table whatever it was called
-- before. A table of its own: where the name cannot be restored, no more than that is missing.
CREATE TABLE stage.binding (
  relation oid PRIMARY KEY REFERENCES stage.overlay ON UPDATE CASCADE ON DELETE CASCADE,
  production regclass NOT NULL
);
REVOKE ALL ON stage.binding FROM PUBLIC;
-- of those made before, which have no more than a name and a number, both have to agree
INSERT INTO stage.binding
SELECT o.relation, o.relation FROM stage.overlay o JOIN pg_class c ON c.oid = o.relation JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE (n.nspname, c.relname) = (o.schema_name, o.table_name);

-- While overlays are being bound: unjudged, bindable, or detached from every number that a table can have.
ALTER TABLE stage.overlay ADD COLUMN moving text CHECK (moving IN ('unjudged', 'bindable', 'detached'));

-- One row for each time that overlays were bound anew. What was logged up to then keeps the OIDs it was logged with.
CREATE TABLE stage.rebinding (
  number int PRIMARY KEY,
  system_identifier text,
  database oid NOT NULL,
  registry oid NOT NULL,
  -- The newest mutation and the newest entry of the audit before it.
  last_mutation bigint NOT NULL,
  last_position bigint NOT NULL,
  began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz
);
CREATE TABLE stage.former_relation (
  rebinding int NOT NULL REFERENCES stage.rebinding,
  former oid NOT NULL,
  relation oid NOT NULL,
  PRIMARY KEY (rebinding, former)
);
REVOKE ALL ON stage.rebinding, stage.former_relation FROM PUBLIC;

-- The newest release of the program that has made functions here. One before it leaves them alone.
CREATE TABLE stage.release (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  version text NOT NULL
);
REVOKE ALL ON stage.release FROM PUBLIC;
