  -- filled in src/overlay/triggers/fire-writing.ts: triggers that write belong to the mutation of the row for which they fire
{{skip}}  PERFORM set_config('stage.mutation', current_setting('stage.mutation_{{key}}'), true);
