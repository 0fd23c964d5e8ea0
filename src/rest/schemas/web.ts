/** The schemas of responses about logins of the review page. */
import { z } from 'zod';
import { loginShape } from '../../model/login.ts';
import { schemaOf, time } from './noun-schema.ts';
import { count } from './outputs.ts';

export const reviewLink = z.object({
  path: z.string().meta({ description: 'To be put behind the address of the service' }),
  expires_at: time.nullable().meta({ description: 'null where no token is demanded' }),
});

export const loggedIn = z.object({
  name: z.string(),
  key: z.string().meta({ description: 'To be sent as Stage-Key beside the cookie' }),
  expires_at: time,
});

export const loginList = z.object({ logins: z.array(schemaOf(loginShape)) });

export const revokedLogins = z.object({ name: z.string(), revoked: count });

export const loggedOut = z.object({ status: z.literal('logged_out') });
