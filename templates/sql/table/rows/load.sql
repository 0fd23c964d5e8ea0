-- New rows that come as a set. The view has none of the columns that tell of staging, and on the table clients have no right but to
-- fill the others: a COPY names the table, for PostgreSQL fills no view by one.
CREATE VIEW {{load}} AS SELECT {{columns}} FROM {{set_table}};
GRANT INSERT ON {{load}} TO PUBLIC;
GRANT INSERT ({{columns}}) ON {{set_table}} TO PUBLIC;
