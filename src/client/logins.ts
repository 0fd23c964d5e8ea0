/** Requests about logins of the review page. */
import type { JsonText } from '../model/json.ts';
import type { PageLogin } from '../model/login.ts';
import { loginShape } from '../model/login.ts';
import { Fields } from './fields.ts';
import { readerOf } from './read-noun.ts';
import type { Reply, ServiceClient } from './service-client.ts';

const readLogin = readerOf(loginShape);

/** Returns the logins of all names. */
export const listLogins = (api: ServiceClient): Promise<Reply<readonly PageLogin[]>> =>
  api.read({ method: 'GET', path: '/web/logins' }, (json: JsonText) =>
    new Fields(json).list('logins').map(readLogin),
  );

/** Ends all logins of a name. Returns their number. */
export const revokeLogins = (api: ServiceClient, name: string): Promise<Reply<number>> =>
  api.read({ method: 'POST', path: '/web/logins/revoke', body: { name } }, (json: JsonText) =>
    new Fields(json).number('revoked'),
  );
