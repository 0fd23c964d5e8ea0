-- filled in src/overlay/triggers/fire-after.ts
      EXIT WHEN NOT stage.fires_as_owner({{oid}});
