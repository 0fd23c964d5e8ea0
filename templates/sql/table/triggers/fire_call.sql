  IF {{condition}} THEN
    _stage_p_result := {{copy}}("new", "old", {{operation}});
    IF _stage_p_result IS NOT DISTINCT FROM NULL THEN RETURN NULL; END IF;
    {{take}}
  END IF;
