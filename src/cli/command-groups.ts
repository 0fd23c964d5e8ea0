/** The commands by group, in the order in which they are used and shown. */
import type { CommandEntry } from './define-command.ts';

interface CommandGroup {
  readonly title: string;
  readonly entries: readonly CommandEntry[];
}

export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'Daemon:',
    entries: [
      {
        name: 'serve',
        summary: 'run the proxy and the REST interface',
        load: async () => (await import('./commands/service/serve.ts')).serveCommand,
      },
      {
        name: 'init',
        summary: 'write a configuration, a service definition or a CI pipeline to start from',
        load: async () => (await import('./commands/service/init.ts')).initCommand,
      },
      {
        name: 'trust',
        summary: "say that a project's configuration is yours",
        load: async () => (await import('./commands/service/trust.ts')).trustCommand,
      },
      {
        name: 'token',
        summary: 'make, list and revoke tokens of the REST API',
        load: async () => (await import('./commands/service/token.ts')).tokenCommand,
      },
      {
        name: 'login',
        operation: 'listLogins',
        summary: 'list and end logins of the review page',
        load: async () => (await import('./commands/service/login.ts')).loginCommand,
      },
      {
        name: 'doctor',
        summary: 'find ways around review',
        load: async () => (await import('./commands/service/doctor.ts')).doctorCommand,
      },
      {
        name: 'uninstall',
        summary: 'remove the service from the upstream database',
        load: async () => (await import('./commands/service/uninstall.ts')).uninstallCommand,
      },
      {
        name: 'status',
        summary: 'show the state of the daemon',
        load: async () => (await import('./commands/service/status.ts')).statusCommand,
      },
    ],
  },
  {
    title: 'Work in a session:',
    entries: [
      {
        name: 'session',
        summary: 'manage sessions',
        load: async () => (await import('./commands/session/session.ts')).sessionCommand,
      },
      {
        name: 'gc',
        operation: 'deleteSession',
        summary: 'delete abandoned sessions',
        load: async () => (await import('./commands/session/gc.ts')).gcCommand,
      },
      {
        name: 'url',
        summary: 'print how to connect to a session',
        load: async () => (await import('./commands/session/url.ts')).urlCommand,
      },
      {
        name: 'psql',
        summary: 'run psql with a session',
        load: async () => (await import('./commands/session/psql.ts')).psqlCommand,
      },
      {
        name: 'run',
        operation: 'createSession',
        summary: 'run SQL scripts in a session',
        load: async () => (await import('./commands/session/run.ts')).runCommand,
      },
      {
        name: 'mcp',
        summary: 'let an agent stage changes, by the Model Context Protocol',
        load: async () => (await import('./commands/session/mcp.ts')).mcpCommand,
      },
      {
        name: 'diff',
        summary: 'show what a session changes',
        load: async () => (await import('./commands/session/diff.ts')).diffCommand,
      },
      {
        name: 'unstage',
        operation: 'unstageRows',
        summary: 'take rows out of a session',
        load: async () => (await import('./commands/session/unstage.ts')).unstageCommand,
      },
      {
        name: 'log',
        summary: 'list the statements a session staged',
        load: async () => (await import('./commands/session/log.ts')).logCommand,
      },
      {
        name: 'watch',
        summary: 'follow what happens in a session',
        load: async () => (await import('./commands/session/watch.ts')).watchCommand,
      },
    ],
  },
  {
    title: 'Review:',
    entries: [
      {
        name: 'propose',
        operation: 'proposeSession',
        summary: 'submit a session for review',
        load: async () => (await import('./commands/reviewing/propose.ts')).proposeCommand,
      },
      {
        name: 'review-link',
        operation: 'makeReviewLink',
        summary: 'print a link to the review page in a browser',
        load: async () => (await import('./commands/reviewing/review-link.ts')).reviewLinkCommand,
      },
      {
        name: 'check',
        summary: 'find conflicts with production',
        load: async () => (await import('./commands/reviewing/check.ts')).checkCommand,
      },
      {
        name: 'resolve',
        operation: 'resolveConflicts',
        summary: 'settle conflicts with production in place',
        load: async () => (await import('./commands/reviewing/resolve.ts')).resolveCommand,
      },
      {
        name: 'wait',
        summary: 'wait until a session is approved or rejected',
        load: async () => (await import('./commands/reviewing/wait.ts')).waitCommand,
      },
      {
        name: 'approve',
        operation: 'approveSession',
        summary: 'apply a proposed session to production',
        load: async () => (await import('./commands/reviewing/approve.ts')).approveCommand,
      },
      {
        name: 'revert',
        operation: 'revertSession',
        summary: 'take an approved session back, in a new one',
        load: async () => (await import('./commands/reviewing/revert.ts')).revertCommand,
      },
      {
        name: 'reopen',
        operation: 'reopenSession',
        summary: 'ask for changes: a proposed session accepts writes again',
        load: async () => (await import('./commands/reviewing/reopen.ts')).reopenCommand,
      },
      {
        name: 'comment',
        operation: 'addComment',
        summary: 'comment on a session or a row of it',
        load: async () => (await import('./commands/reviewing/comment.ts')).commentCommand,
      },
      {
        name: 'comments',
        summary: 'list the comments on a session',
        load: async () => (await import('./commands/reviewing/comments.ts')).commentsCommand,
      },
      {
        name: 'reject',
        operation: 'rejectSession',
        summary: 'discard a proposed session',
        load: async () => (await import('./commands/reviewing/reject.ts')).rejectCommand,
      },
      {
        name: 'policy',
        summary: 'show and set the rules of review',
        load: async () => (await import('./commands/reviewing/policy.ts')).policyCommand,
      },
      {
        name: 'audit',
        operation: 'listAudit',
        summary: 'read the record of what was applied',
        load: async () => (await import('./commands/reviewing/audit.ts')).auditCommand,
      },
    ],
  },
  {
    title: 'Help:',
    entries: [
      {
        name: 'help',
        summary: 'explain a command or a topic',
        load: async () => (await import('./commands/help.ts')).helpCommand,
      },
      {
        name: 'version',
        summary: 'print all versions that matter',
        load: async () => (await import('./commands/version.ts')).versionCommand,
      },
      {
        name: 'completion',
        summary: 'print the completion script of a shell',
        load: async () => (await import('./commands/completion.ts')).completionCommand,
      },
      {
        name: '__complete',
        summary: 'answer a shell that completes a command line',
        hidden: true,
        load: async () => (await import('./commands/complete.ts')).completeCommand,
      },
    ],
  },
];
