      -- filled in src/overlay/triggers/fire-moves.ts: a row that moves to another partition is deleted there and inserted here
      IF {{to}} IS DISTINCT FROM {{from}} THEN
        NULL;{{both}}
      ELSE
        NULL;{{update}}
      END IF;