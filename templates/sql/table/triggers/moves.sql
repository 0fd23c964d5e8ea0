  -- filled in src/overlay/triggers/fire-moves.ts: the partitions of the row after and before its update, and the calls
  IF {{to}} IS DISTINCT FROM {{from}} THEN
    {{fire}}
  END IF;
