  PERFORM set_config('stage.origin', coalesce(_stage_v_was[1], ''), true), set_config('stage.mutation', coalesce(_stage_v_was[2], ''), true),
    set_config('stage.check_later', coalesce(_stage_v_was[3], ''), true);
