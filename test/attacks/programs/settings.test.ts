/** Settings that code or the start-up packet changes neither let a text be misread nor a write be lost. */
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
