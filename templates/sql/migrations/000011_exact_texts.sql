-- What the JSON of a row does not tell of its values (see table/texts.sql), under the names of the rows that it is about.
ALTER TABLE stage.audit ADD COLUMN texts jsonb;
ALTER TABLE stage.parked_change ADD COLUMN texts jsonb;
