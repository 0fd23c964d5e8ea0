/** Requests of tests to the REST API of a proxied daemon. */
import type { JsonObject } from '../../src/model/json.ts';
import type { Proxied } from './proxied.ts';
import { assert } from './suite.ts';

/**
 * Returns a function that sends a request and returns the body of the response, which must have the given status.
 * @param proxied returns the daemon, which starts later
 */
export const asking =
  (proxied: () => Proxied) =>
  async (method: string, path: string, body?: JsonObject, status = 200) => {
    const answer = await proxied().daemon.call(method, path, body && { json: body });
    assert.is(answer.status, status, answer.text);
    return answer.body as Record<string, unknown>;
  };
