/** Schema of an approved session: with the differences between staged rows and those that production's triggers made of them. */
import { differencesShape } from '../../model/differences.ts';
import { schemaOf } from './noun-schema.ts';
import { session } from './outputs.ts';
import { approvals } from './policy.ts';

export const approvedSession = session.extend({
  differences: schemaOf(differencesShape).optional(),
});

/** A session with the votes, where the policy demands some. */
export const votedSession = session.extend({ approvals: approvals.optional() });
