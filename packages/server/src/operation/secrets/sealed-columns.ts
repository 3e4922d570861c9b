/** Every column that `Vault` sealed. A test compares this list with the database. */
export const sealedColumns = [
  { table: 'users', column: 'api_key_sealed', what: 'API keys' },
  { table: 'bot_services', column: 'token_sealed', what: 'tokens of outgoing webhooks' },
  { table: 'bot_services', column: 'secret_sealed', what: 'signing secrets of outgoing webhooks' },
  { table: 'hooks', column: 'token_sealed', what: 'URLs of incoming hooks' },
  { table: 'hooks', column: 'secret_sealed', what: 'secrets of incoming hooks' },
  { table: 'invitations', column: 'token_sealed', what: 'invitation links' },
  { table: 'totp_factors', column: 'secret_sealed', what: 'authenticator apps' },
  { table: 'idempotent_requests', column: 'body_sealed', what: 'stored responses' },
  { table: 'vapid_keys', column: 'private_key_sealed', what: 'keys for push notifications' },
  { table: 'acme_accounts', column: 'key_sealed', what: 'accounts at certificate authorities' },
  { table: 'tls_certificates', column: 'key_sealed', what: 'keys of TLS certificates' },
] as const

export type SealedColumn = (typeof sealedColumns)[number]
