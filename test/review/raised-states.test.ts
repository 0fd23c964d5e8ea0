/** Errors that code of production raises at approval, with SQLSTATEs that the server has for troubles of its own: production refused the row. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE guarded (id int PRIMARY KEY, state text);
INSERT INTO guarded VALUES (2, NULL);
CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
  'BEGIN RAISE EXCEPTION ''stop'' USING ERRCODE = NEW.state; END';
CREATE TRIGGER guard BEFORE UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION guard();
`;

suite('errors that code raises at approval', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  for (const state of ['28000', '08006', '53100', '57P01', '58030', '40001', '55P03', '40P01'])
    test(`refuse the row: ${state}`, async () => {
      const id = await proxied.daemon.newSession();
      const client = await proxied.connect(proxied.daemon.clientUrl(id));
      await client.query('UPDATE guarded SET state = $1', [state]);
      await proxied.daemon.call('POST', `/sessions/${id}/propose`);
      const { status, body } = await proxied.daemon.call('POST', `/sessions/${id}/approve`);
      assert.equal(
        [status, body['error'], body['sqlstate'], body['row']],
        [409, 'apply_failed', state, 2],
      );
    });
});
