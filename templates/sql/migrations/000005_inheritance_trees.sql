-- One row for each table with children whose rows sessions read or change together with those of its children.
CREATE TABLE stage.tree (
  relation oid PRIMARY KEY,
  -- The names that the view was given.
  namespace oid NOT NULL,
  table_name text NOT NULL,
  -- The tables whose staged rows it shows: those of the inheritance tree that can be staged.
  members oid[] NOT NULL,
  -- Witness of what the view is made of.
  signature text NOT NULL,
  -- stage.tree_stamp when the signature was last compared.
  stamp text NOT NULL,
  -- All of the tree can be staged, and every table that a write to it can reach has its overlay.
  writable boolean NOT NULL DEFAULT false
);
GRANT SELECT ON stage.tree TO PUBLIC;

-- Tables with children that the twin reads together with these.
ALTER TABLE stage.twin ADD COLUMN trees oid[] NOT NULL DEFAULT '{}';
