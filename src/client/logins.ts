/** Logins of the review page: one-time links that nobody has used, and browsers. */
import type { JsonText } from '../model/json.ts';

import { Fields } from './fields.ts';
import type { Reply, ServiceClient } from './service-client.ts';

export interface PageLogin {
  /** Name of the token that it stands for. */
  readonly name: string;
  readonly kind: string;
  readonly expiresAt: string;
}

/** Returns the logins of all names. */
export const listLogins = (api: ServiceClient): Promise<Reply<readonly PageLogin[]>> =>
  api.read({ method: 'GET', path: '/web/logins' }, (json: JsonText) =>
    new Fields(json).list('logins').map((login) => {
      const fields = new Fields(login);
      const [name, kind] = [fields.required('name'), fields.required('kind')];
      return { name, kind, expiresAt: fields.required('expires_at') };
    }),
  );

/** Ends all logins of a name. Returns their number. */
export const revokeLogins = (api: ServiceClient, name: string): Promise<Reply<number>> =>
  api.read({ method: 'POST', path: '/web/logins/revoke', body: { name } }, (json: JsonText) =>
    new Fields(json).number('revoked'),
  );
