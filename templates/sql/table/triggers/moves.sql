  -- filled in src/overlay/triggers/fire-moves.ts: the partitions of the row after and before its update, and the calls. A row does not move out
  -- of the partition that a statement names.
  IF {{to}} IS DISTINCT FROM {{from}} AND {{from}} IS DISTINCT FROM _stage_p_named THEN
    {{fire}}
  END IF;
