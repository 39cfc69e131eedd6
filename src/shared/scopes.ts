/** What an API key can be allowed to do. A write scope doesn't include the read scope. */
export const scopes = [
  'monitors:read',
  'monitors:write',
  'providers:read',
  'providers:write',
  'status:read',
  'status:write',
  'websites:read',
  'websites:write',
] as const

export type Scope = (typeof scopes)[number]
