-- Condition that PostgreSQL checks a foreign key of the staged row s: it was inserted, columns of the key were changed, or this transaction
-- made the row before, too; filled in src/overlay/foreign-keys/foreign-keys.ts.
        CASE WHEN s._stage_op <> 'U' THEN true
          WHEN s._stage_base IS DISTINCT FROM NULL THEN NOT ({{same_as_base}})
          ELSE NOT EXISTS (
            SELECT FROM {{shadow}} v
            WHERE v._stage_session = s._stage_session AND v._stage_seq <= current_setting('stage.began')::bigint AND {{same_as_version}}
              AND v._stage_seq = (
                SELECT w._stage_seq FROM {{shadow}} w
                WHERE w._stage_session = s._stage_session AND (w._stage_root = s._stage_root OR w._stage_seq = s._stage_root)
                  AND w._stage_seq < s._stage_seq AND w._stage_origin <> 'overlay' ORDER BY w._stage_seq DESC LIMIT 1))
        END
