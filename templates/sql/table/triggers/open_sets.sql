    -- the transition tables; filled in src/overlay/triggers/fire-after.ts
    OPEN _stage_v_set_rows FOR SELECT {{sets}}
    FROM (
    {{rows}}) r;
