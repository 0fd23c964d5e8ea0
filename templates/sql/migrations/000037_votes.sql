-- Votes: approvals that are not the last one that the policy demands. Each is bound to the digest and the round.
ALTER TABLE stage.decision DROP CONSTRAINT IF EXISTS decision_verdict_check, DROP CONSTRAINT IF EXISTS decision_check,
  DROP CONSTRAINT IF EXISTS decision_digest;
ALTER TABLE stage.decision
  ADD CONSTRAINT decision_verdict_check CHECK (verdict IN ('approve', 'vote', 'reject', 'request_changes', 'withdraw', 'expire')),
  ADD CONSTRAINT decision_digest CHECK ((verdict IN ('approve', 'vote')) = (digest IS NOT NULL));

-- The names of all who agreed, in the order of their votes; null where one approval was enough. The hash covers it.
ALTER TABLE stage.approval ADD COLUMN IF NOT EXISTS voters jsonb CHECK (jsonb_typeof(voters) = 'array');
