-- The load view, for new rows that come as a set. It has none of the columns for staging, and on the table clients have no right except to
-- fill the others: a COPY names the table, because PostgreSQL copies into no view like this.
-- Filled in src/overlay/rows/load.ts.
CREATE VIEW {{load}} AS SELECT {{columns}} FROM {{set_table}};
GRANT INSERT ON {{load}} TO PUBLIC;
GRANT INSERT ({{columns}}) ON {{set_table}} TO PUBLIC;
