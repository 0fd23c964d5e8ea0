/** Settings changed by code or the start-up packet neither cause a text to be misread nor a write to be lost. */
import { changedSettings } from './changed-settings.ts';
import { prove } from './prove.ts';
import {
  replicationRole,
  replicationRoleOfDatabase,
  replicationRoleOfRole,
} from './replication-role.ts';

prove(changedSettings);
prove(replicationRole);
prove(replicationRoleOfDatabase);
prove(replicationRoleOfRole);
