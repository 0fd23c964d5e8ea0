-- The steps by which approval applies the rows of a run; stage.apply_plan explains them.
DO $$
BEGIN
  IF to_regtype('stage.apply_step') IS NULL THEN
    CREATE TYPE stage.apply_step AS ENUM ('capture', 'apply', 'cascaded', 'gone');
  END IF;
END $$;
ALTER TYPE stage.apply_run ALTER ATTRIBUTE step TYPE stage.apply_step;

-- An overlay whose new table was not checked yet had the state "unjudged".
ALTER TABLE stage.overlay DROP CONSTRAINT IF EXISTS overlay_moving_check;
UPDATE stage.overlay SET moving = 'unchecked' WHERE moving = 'unjudged';
ALTER TABLE stage.overlay ADD CONSTRAINT overlay_moving_check CHECK (moving IN ('unchecked', 'bindable', 'detached'));
