  IF {{condition}} THEN
    PERFORM {{copy}}("new", "old", {{operation}});
  END IF;
