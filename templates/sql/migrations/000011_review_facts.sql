-- What the JSON of a row does not tell of its values (see table/texts.sql), under the names of the rows that it is about.
ALTER TABLE stage.audit ADD COLUMN texts jsonb;
ALTER TABLE stage.parked_change ADD COLUMN texts jsonb;

-- What has changed of a table that a session's rows are parked of, in words: by column, or under '' for the table as a whole.
ALTER TABLE stage.parked_table ADD COLUMN reasons jsonb NOT NULL DEFAULT '{}';
