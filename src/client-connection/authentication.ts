/**
 * Relays a login between client and upstream. Nothing is stored or logged. Only the roles, passwords and rules of the upstream apply.
 * https://www.postgresql.org/docs/current/sasl-authentication.html
 *
 * SCRAM-SHA-256-PLUS binds the login to the server certificate that the client saw. Through a proxy that terminates TLS, this works only
 * when both sides present the same certificate:
 *   client plain                          PLUS is withheld, the client sends `n` (cannot bind): works
 *   client TLS, upstream plain            the upstream offers no PLUS, the client sends `y` (could bind): works
 *   client TLS, upstream TLS, same        PLUS is passed on and binds end to end: works
 *   client TLS, upstream TLS, different   PLUS is withheld. A client that sends `n` works (most drivers; libpq with
 *                                         channel_binding=disable). For a client that sends `y`, the upstream would assume
 *                                         a downgrade attack, and the client's proof covers the flag: refused with a hint.
 */
import { StageError } from '../errors.ts';
import { decodeSaslMechanisms } from '../wire/backend-decoder.ts';
import { authenticationSasl } from '../wire/backend-messages.ts';
import type { Message } from '../wire/framer.ts';
import { decodeSaslInitialResponse } from '../wire/frontend-messages.ts';
import { authentication } from '../wire/message-codes.ts';
import type { StartupStream } from './startup-stream.ts';
import { sameCertificate } from './tls.ts';
import type { LoginMessage } from './upstream-messages.ts';
import { broken, readLoginMessage } from './upstream-messages.ts';

export interface Parties {
  readonly client: StartupStream;
  readonly upstream: StartupStream;
}

type LoginRequest = Extract<LoginMessage, { type: 'request' }>;

const scram = 'SCRAM-SHA-256';
const scramPlus = 'SCRAM-SHA-256-PLUS';

/**
 * Relays messages until the upstream accepts or refuses the client. The caller passes on the last message.
 * @param first the upstream's first message
 * @returns the last message, which the client has not received yet, and its meaning
 */
export async function relayAuthentication(
  { client, upstream }: Parties,
  first: LoginMessage,
): Promise<{ readonly outcome: 'accepted' | 'refused'; readonly frame: Buffer }> {
  for (let message = first; ; message = await readLoginMessage(upstream)) {
    if (message.type === 'error') return { outcome: 'refused', frame: message.frame };
    if (message.type === 'notice') {
      client.socket.write(message.frame);
      continue;
    }
    if (message.type !== 'request') throw broken('did not ask for a password');
    if (message.kind === authentication.ok) return { outcome: 'accepted', frame: message.frame };
    await relayRequest({ client, upstream }, message);
  }
}

/** The requests that can be relayed. Kerberos and SSPI authenticate the client to one named host, which the proxy is not. */
const relayed: readonly number[] = [
  authentication.cleartextPassword,
  authentication.md5Password,
  authentication.sasl,
  authentication.saslContinue,
  authentication.saslFinal,
];

/** Passes a request to the client and its response to the upstream. The final SASL message has no response. */
async function relayRequest(parties: Parties, { kind, data, frame }: LoginRequest): Promise<void> {
  const { client, upstream } = parties;
  if (!relayed.includes(kind)) {
    throw new StageError(
      'unauthorized',
      'the upstream asks for an authentication method that cannot be relayed',
      {
        hint: 'Let the role log in with scram-sha-256, md5, password or trust (pg_hba.conf of the upstream).',
      },
    );
  }
  if (kind === authentication.saslFinal) {
    client.socket.write(frame);
    return;
  }
  const mechanisms = kind === authentication.sasl ? offered(data, parties) : null;
  client.socket.write(mechanisms === null ? frame : authenticationSasl(mechanisms));
  // The limits of the client's stream allow only password messages.
  const answer = await client.next();
  if (mechanisms !== null) checkBinding(answer, mechanisms, parties);
  upstream.socket.write(answer.frame);
}

function offered(data: Buffer, { client, upstream }: Parties): readonly string[] {
  const mechanisms = readMechanisms(data);
  const binding = sameCertificate(client.socket, upstream.socket);
  const passed = mechanisms.filter((name) => name === scram || (name === scramPlus && binding));
  if (passed.length > 0) return passed;
  throw new StageError(
    'unauthorized',
    'the upstream offers no SASL mechanism that can be relayed',
    {
      hint: `Let the role log in with scram-sha-256; offered were ${mechanisms.join(', ')}.`,
    },
  );
}

function readMechanisms(data: Buffer): readonly string[] {
  try {
    return decodeSaslMechanisms(data);
  } catch (error) {
    throw broken('broke the protocol', error);
  }
}

function checkBinding(answer: Message, mechanisms: readonly string[], { upstream }: Parties): void {
  const couldBind = decodeSaslInitialResponse(answer.payload)?.[0] === 'y'.charCodeAt(0);
  if (!couldBind || mechanisms.includes(scramPlus) || !isEncrypted(upstream.socket)) return;
  throw new StageError('unauthorized', 'SCRAM channel binding does not reach through the proxy', {
    hint: 'Connect with channel_binding=disable, or serve the proxy with the certificate of the upstream.',
  });
}

function isEncrypted(socket: StartupStream['socket']): boolean {
  return 'encrypted' in socket;
}
