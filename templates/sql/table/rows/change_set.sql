-- Rows of the overlay that are changed as a set: PostgreSQL's rewriter makes of an UPDATE or DELETE of the view one INSERT of what it
-- stages. Each is staged as the first change of a row of production. If the session has staged the row before, its head is in the way.
CREATE VIEW {{changes}} AS SELECT {{columns}} FROM {{overlay}};
GRANT SELECT ON {{changes}} TO PUBLIC;
