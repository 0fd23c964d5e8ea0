-- The shadow table: the chronological log of row changes of every session, and through its heads each session's net state.
-- It has no CHECK constraints, which would be compiled anew for each staged row: a third of its cost.
-- Filled in src/overlay/install/shadow.ts: `image_definition` is the column for the image of a row without a key, or empty.
CREATE TYPE {{row_type}} AS ({{column_definitions}});

CREATE TABLE {{shadow}} (
  {{column_definitions}},{{image_definition}}
  _stage_seq bigint NOT NULL DEFAULT nextval('stage.seq'),  -- orders everything
  _stage_session uuid NOT NULL,
  _stage_mutation bigint NOT NULL,
  _stage_op "char" NOT NULL,                                -- I, U or D, as in the audit example of PostgreSQL's manual
  _stage_head boolean NOT NULL,                             -- the newest version under its key
  _stage_first boolean NOT NULL DEFAULT false,              -- first touch of a production row: it has a base
  _stage_check boolean NOT NULL DEFAULT false,              -- its foreign keys are checked
  _stage_origin stage.row_origin NOT NULL,                  -- what made the change; its four bytes fill the gap before the next column
  _stage_root bigint,                                       -- _stage_seq of the row's first version, null for itself
  _stage_base {{row_type}},                                 -- the production row at first touch
  _stage_given {{row_type}},                                -- the row as the client gave it, where triggers made another of it
  {{old_column_definitions}},                               -- key and referenced columns before the change
  PRIMARY KEY (_stage_session, _stage_seq)
);

{{head_indexes}};
