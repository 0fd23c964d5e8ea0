/** `stage help`: explains a command or a topic. */
import type { Command } from 'commander';
import { StageError } from '../../errors.ts';
import { defineCommand } from '../define-command.ts';
import { topics } from '../topics.ts';

export const helpCommand = defineCommand({
  description: `Explain a command or a topic (${Object.keys(topics).join(', ')}).`,
  arguments: [['[subject...]', 'command or topic']],
  examples: ['stage help diff', 'stage help exit-codes'],
  work: async ({ out, program }, _options, ...subject) => {
    const topic = topics[subject.join(' ')];
    if (topic) return out.write(topic.text);
    demandCommand(program, subject[0]);
    await program.parseAsync([...subject, '--help'], { from: 'user' });
  },
});

function demandCommand(program: Command, name: string | undefined): void {
  if (name === undefined || program.commands.some((command) => command.name() === name)) return;
  throw new StageError('usage', `there is no help on ${JSON.stringify(name)}`, {
    hint: 'See `stage --help` for commands and topics.',
  });
}
