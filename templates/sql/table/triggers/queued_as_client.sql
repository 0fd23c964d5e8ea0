-- filled in src/overlay/triggers/fire-after.ts
      PERFORM stage.demand_owner_reads({{oid}});
