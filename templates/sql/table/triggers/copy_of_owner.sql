-- The copy of a trigger that runs with the rights of its function's owner. Only the service account calls it, for rows that were staged.
-- Filled in src/overlay/triggers/trigger-copy.ts: `copy` is copy.sql, filled.
DROP FUNCTION IF EXISTS {{function}};
{{copy}}
-- guard: nobody fires a trigger with its owner's rights for rows that were not staged
REVOKE ALL ON FUNCTION {{function}} FROM PUBLIC;
GRANT CREATE ON SCHEMA {{schema}} TO {{owner}};
ALTER FUNCTION {{function}} OWNER TO {{owner}};
-- guard: an owner replaces no copy of a trigger
REVOKE CREATE ON SCHEMA {{schema}} FROM {{owner}};
SELECT stage.grant_copy({{name}}, {{owner_name}});
