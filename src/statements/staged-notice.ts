/** Notifies a client once that production is unchanged, because no response to a staged write shows that. */
import type { ReadsMode } from '../model/session.ts';
import type { ConnectedPair } from '../server-connection/connected-pair.ts';
import type { InternalQueries } from '../server-connection/internal-queries.ts';
import { decodeDataRow } from '../wire/backend-decoder.ts';
import { noticeResponse } from '../wire/backend-messages.ts';
import { errorFields } from '../wire/error-fields.ts';

/** The values of client_min_messages with which PostgreSQL sends no NOTICE. */
const tooQuiet = new Set(['warning', 'error']);

/** Matches the tags of commands that have staged nothing. */
const nothingStaged = /^EXPLAIN$| 0$/;

const hints: Readonly<Record<ReadsMode, string>> = {
  production:
    'SELECT shows production, without what is staged; connect with -c service_reads=staged to see both.',
  staged: 'Reads see production with the staged rows merged in.',
};

export class StagedNotice {
  private readonly internal: InternalQueries;
  private readonly message: Buffer;
  private isDue: boolean;

  /** @param isUsual the daemon's setting, used when the connection does not specify one */
  constructor(
    internal: InternalQueries,
    { session, reads, notice }: Pick<ConnectedPair, 'session' | 'reads' | 'notice'>,
    isUsual: boolean,
  ) {
    this.internal = internal;
    this.isDue = notice ?? isUsual;
    const message = `staged in session ${session.id}; production is unchanged until the session is approved`;
    this.message = noticeResponse(
      errorFields('NOTICE', { sqlstate: '00000', message, hint: hints[reads] }),
    );
  }

  /**
   * Queries whether the client receives notices. Call it directly before a staged write is sent.
   * @returns a function that returns the notice before the write's CommandComplete, by its tag; undefined when the client has got it
   *   already
   */
  query(): ((tag: string) => Buffer | null) | undefined {
    if (!this.isDue) return undefined;
    let isHeard = false;
    // The server does not report this setting.
    const onRow = (payload: Buffer) => {
      isHeard = !tooQuiet.has(String(decodeDataRow(payload)[0]));
    };
    this.internal.run({ text: 'SHOW client_min_messages' }, { onRow });
    return (tag) => {
      if (!isHeard || !this.isDue || nothingStaged.test(tag)) return null;
      this.isDue = false;
      return this.message;
    };
  }
}
