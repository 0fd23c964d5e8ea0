/** The protections between a client and production, with the edits that remove each. The rest must hold alone. */
import type { Edit } from '../mutants/project-copy.ts';

interface Protection {
  readonly name: string;
  readonly edits: readonly Edit[];
}

/** The commit check. */
export const commitCheck: Protection = {
  name: 'the commit check',
  edits: [
    {
      file: 'src/server-connection/internal-queries.ts',
      text: 'this.commitCheck.send(unlessFailed);',
      without: '',
    },
  ],
};

/** Edits that remove the search for functions that write, before a statement runs and after it has ended. */
const uncheckedCalls: readonly Edit[] = [
  {
    file: 'src/statements/read-calls.ts',
    text: 'if (!needsCallCheck(context, verdict)) return;',
    without: 'return;',
  },
  { file: 'src/rewrite/rewrite.ts', text: 'if (harmful) throw', without: 'if (false) throw' },
  {
    file: 'src/server-connection/internal-queries.ts',
    text: 'if (this.checkAtEnd === null) return;',
    without: 'return;',
  },
];

/** The other protections. Without any of them, the commit check remains. */
export const otherProtections: readonly Protection[] = [
  {
    name: 'the rewriting of writes',
    edits: [
      ...uncheckedCalls,
      {
        file: 'src/server-connection/upstream-text.ts',
        text: 'if (target !== null && !isReplaced)',
        without: 'if (false)',
      },
      {
        file: 'src/server-connection/upstream-text.ts',
        text: "  return checked('staged', sent, frame);",
        without: `
          const gone = replacements.reduce((sum, { start, end }) => sum + end - start, 0);
          const come = replacements.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
          const from = writtenFrom;
          return checked('staged', written.subarray(from, from + sent.length + gone - come), frame);`,
      },
      {
        file: 'src/server-connection/upstream-text.ts',
        text: '  { sent, replacements }: SentText,\n  offset',
        without: '  { sent, replacements, written, start: writtenFrom }: SentText,\n  offset',
      },
    ],
  },
  {
    name: 'what is known of the access',
    edits: [
      ...uncheckedCalls,
      {
        file: 'src/server-connection/internal-queries.ts',
        text: 'if (!this.state.exposesReads) return;',
        without: 'return;',
      },
      {
        file: 'src/server-connection/upstream-writer.ts',
        text: "if (kind === 'read' && this.state.exposesReads)",
        without: 'if (false)',
      },
      {
        file: 'src/server-connection/internal-queries.ts',
        text: "this.run({ text: 'SHOW transaction_read_only' }, { onRow, onError: unlessFailed });",
        without: "this.state.learnAccess('read write');",
      },
    ],
  },
];
