/** What a key may be allowed to do. Writing does not imply reading. */
export const scopes = [
  'monitors:read',
  'monitors:write',
  'providers:read',
  'providers:write',
  'websites:read',
  'websites:write',
] as const

export type Scope = (typeof scopes)[number]

/** Those of `wanted` that `held` lacks. */
export function missingScopes(held: readonly Scope[], wanted: readonly Scope[]): Scope[] {
  return wanted.filter((scope) => !held.includes(scope))
}
