/** The settings that every upstream connection retains, whatever the client sets. */
import type { StartupParameters } from '../wire/startup.ts';

/** Stores the client's default_transaction_read_only. RESET restores its value from the start-up packet. */
export const accessSetting = 'stage.access';

/** The pinned settings. The server reports them, so the proxy can verify their values. */
export const pinned: StartupParameters = [
  ['default_transaction_read_only', 'on'],
  ['client_encoding', 'UTF8'],
  ['standard_conforming_strings', 'on'],
];
