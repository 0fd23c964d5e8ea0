/** The settings that every connection to the server keeps, whatever the client sets. */
import type { StartupParameters } from '../wire/startup.ts';

/** Stands for the client's default_transaction_read_only; RESET goes back to what it was at the start. */
export const accessSetting = 'stage.access';

/** The pinned settings that the server reports, so that it can be seen whether they hold. */
export const pinned: StartupParameters = [
  ['default_transaction_read_only', 'on'],
  ['client_encoding', 'UTF8'],
  ['standard_conforming_strings', 'on'],
];
