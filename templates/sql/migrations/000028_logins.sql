-- Logins of the review page: one-time links, and the browsers that have used one. Of their secrets only hashes are known.
CREATE TABLE stage.login (
  -- SHA-256 of the secret.
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  kind text NOT NULL CHECK (kind IN ('link', 'browser')),
  -- SHA-256 of the hash by which the daemon knows the token: the login is good for what the token is, and as long as it is.
  token bytea NOT NULL CHECK (octet_length(token) = 32),
  expires_at timestamptz NOT NULL
);
CREATE INDEX login_expiry ON stage.login (expires_at);

REVOKE ALL ON stage.login FROM PUBLIC;
