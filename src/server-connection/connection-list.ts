/** The client connections of this proxy by session, with a way to end them. */
import { StageError } from '../errors.ts';
import type { Connection, ConnectionState } from '../model/connection.ts';

/** The statement pipeline's interface to its connection. */
export interface PipelineHandle {
  state: () => ConnectionState;
  /** Ends both sides. The client receives the error if possible. */
  end: (error: StageError) => void;
}

export interface Served extends Omit<Connection, 'state' | 'through'> {
  readonly sessionId: string;
  readonly handle: PipelineHandle;
}

export interface ConnectionList {
  /** Adds a connection. Returns the function to call when it has ended. */
  add(served: Served): () => void;
  of(sessionId: string): Connection[];
  /** Ends the connections of a session, whatever they are doing. Returns their number. */
  end(sessionId: string): number;
  /** Ends all connections, because their upstream is no longer the one in use. */
  endAll(): void;
}

export function createConnectionList(): ConnectionList {
  const all = new Set<Served>();
  const of = (id: string) => [...all].filter(({ sessionId }) => sessionId === id);
  return {
    add: (served) => {
      all.add(served);
      return () => all.delete(served);
    },
    of: (id) =>
      of(id).map(({ backend, role, address, connectedAt, handle }) => {
        const state = handle.state();
        return { backend, role, address, connectedAt, state, through: 'here' as const };
      }),
    end: (id) => {
      const ended = of(id);
      for (const { handle } of ended) handle.end(byOperator());
      return ended.length;
    },
    endAll: () => {
      for (const { handle } of all) handle.end(byFailover());
    },
  };
}

function byFailover(): StageError {
  return new StageError('server_unavailable', 'terminating connection: the upstream has moved', {
    sqlstate: '57P01',
    hint: 'Another server is the primary now. What was not committed is rolled back. Connect again.',
  });
}

function byOperator(): StageError {
  return new StageError(
    'server_unavailable',
    'terminating connection due to administrator command',
    { sqlstate: '57P01', hint: 'Somebody has ended the connections of this session.' },
  );
}
