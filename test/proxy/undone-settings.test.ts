/** Settings that an error undoes in the same Query message are not reported, and words of refusals that PostgreSQL shares are its own. */
import { decodeErrorFields } from '../../src/wire/error-fields.ts';
import type { Message } from '../../src/wire/framer.ts';
import { backend, frontend } from '../../src/wire/message-codes.ts';
import { MessageWriter } from '../../src/wire/message-writer.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q } from '../helpers/wire-script.ts';

const invalid = (bytes: readonly number[], before = '') =>
  new MessageWriter()
    .raw(
      Buffer.concat([
        Buffer.from(`UPDATE t SET v = '${before}`),
        Buffer.from(bytes),
        Buffer.from("'\0"),
      ]),
    )
    .message(frontend.query);

const conversations: Record<string, readonly Buffer[]> = {
  'a SET that an error undoes': [
    q(`BEGIN; SET timezone = 'Asia/Tokyo'; SELECT 1 / 0; COMMIT`),
    q('ROLLBACK'),
    q('SHOW timezone'),
  ],
  'a SET that stays': [q(`SET timezone = 'Asia/Tokyo'; SELECT 1`), q('RESET timezone')],
  'a text that is not UTF-8': [invalid([0xff]), q('SELECT 1')],
  'a character that is not whole': [invalid([0xe2, 0x28, 0xa1, 0x41], 'é')],
  'a character at the end of a long text': [invalid([0xf0, 0x9f], 'é'.repeat(70_001))],
};

function shown({ type, payload }: Message): string {
  if (type !== backend.errorResponse) {
    const text = type === backend.rowDescription ? '' : payload.toString('latin1');
    return `${String.fromCharCode(type)} ${text}`;
  }
  const fields = decodeErrorFields(payload);
  return `E ${fields.get('C')} ${fields.get('M')}`;
}

suite('settings that an error undoes', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('CREATE TABLE t (id int PRIMARY KEY, v text)');
  });
  test.after(() => proxied.stop());

  /** Returns what a client receives for each message. */
  const reported = async (url: string, messages: readonly Buffer[]) => {
    const client = await proxied.wire(url);
    const answers: string[] = [];
    for (const message of messages) {
      client.send(message);
      answers.push(...(await client.readTo(backend.readyForQuery)).map(shown));
    }
    return answers;
  };

  for (const [name, messages] of Object.entries(conversations))
    test(`${name}: as in PostgreSQL`, async () => {
      const staged = await reported(await proxied.session('staged'), messages);
      assert.equal(staged, await reported(proxied.twin.url, messages));
    });
});
