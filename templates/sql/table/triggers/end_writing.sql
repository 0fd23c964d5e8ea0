  -- filled in src/overlay/triggers/fire-after.ts; a trigger that goes on writing is the one that was named before
  PERFORM set_config('stage.origin', coalesce(_stage_v_was[1], ''), true), set_config('stage.mutation', coalesce(_stage_v_was[2], ''), true),
    set_config('stage.check_later', coalesce(_stage_v_was[3], ''), true), set_config('stage.cause_relation', coalesce(_stage_v_was[4], ''), true),
    set_config('stage.cause', coalesce(_stage_v_was[5], ''), true), set_config('stage.trigger', coalesce(_stage_v_was[6], ''), true),
    set_config('stage.causes', coalesce(_stage_v_was[7], ''), true);
