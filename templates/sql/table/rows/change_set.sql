-- The changes view, for rows of the overlay that are changed as a set: PostgreSQL's rewriter turns an UPDATE or DELETE of it into one
-- INSERT of what it stages. Each row is staged as the first change of a row of production. If the session has staged it before, it collides
-- with its head.
-- Filled in src/overlay/rows/load.ts.
CREATE VIEW {{changes}} AS SELECT {{columns}} FROM {{overlay}};
GRANT SELECT ON {{changes}} TO PUBLIC;
