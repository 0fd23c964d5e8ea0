-- Remembers the sequence from which the client has drawn last, see stage.nextval: currval() returns the OID that setval() has set in the same
-- connection, in whatever state its transactions ended. The value that is stored means nothing.
CREATE UNLOGGED SEQUENCE IF NOT EXISTS stage.last_sequence;
GRANT USAGE, UPDATE ON SEQUENCE stage.last_sequence TO PUBLIC;
