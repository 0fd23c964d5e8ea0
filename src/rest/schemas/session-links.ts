/** Members of a session that refer to other sessions. */
import { z } from 'zod';

export const sessionLinks = {
  reverts: z.string().optional().meta({
    description: 'The approved session whose changes it was made to take back',
  }),
  split_from: z.string().optional().meta({ description: 'The session that it was split from' }),
  remaining_session_id: z.string().optional().meta({
    description: 'The session that has the rest, where only a part was approved',
  }),
  reviewed_digest: z.string().optional().meta({
    description: 'Digest of the whole diff that was reviewed, where only a part was approved',
  }),
};
