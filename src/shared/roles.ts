/** What the members of a team may do. Row level security in migrations/access enforces the same rules. */

/** From most to least rights. `guest`: only the websites and status pages that were shared with them. */
export const roles = ['owner', 'admin', 'editor', 'viewer', 'guest'] as const
export type Role = (typeof roles)[number]

/** What guests may do with what was shared with them. */
export const guestAccesses = ['read', 'edit'] as const
export type GuestAccess = (typeof guestAccesses)[number]

/**
 * The role that the database finds for a caller. `guest editor` is a guest with the access `edit`, and `none` is not a member. `weak` is a
 * session that has not proved a second factor, although the team requires one.
 */
export type CallerRole = Role | 'guest editor' | 'none' | 'weak'

/**
 * What a request needs:
 *
 *   account      the caller's own account, whichever team they act in
 *   read         reads what belongs to the team; row level security hides from guests what was not shared with them
 *   edit shared  changes a website or status page, which may be shared with a guest
 *   edit         changes websites, monitors and so on
 *   manage       manages people, keys and settings of the team
 *   own          can be done only by owners
 */
export type Right = 'account' | 'read' | 'edit shared' | 'edit' | 'manage' | 'own'

const rightsByRole: Record<CallerRole, readonly Right[]> = {
  owner: ['account', 'read', 'edit shared', 'edit', 'manage', 'own'],
  admin: ['account', 'read', 'edit shared', 'edit', 'manage'],
  editor: ['account', 'read', 'edit shared', 'edit'],
  viewer: ['account', 'read'],
  'guest editor': ['account', 'read', 'edit shared'],
  guest: ['account', 'read'],
  none: ['account'],
  weak: ['account'],
}

export const hasRight = (role: CallerRole, right: Right) => rightsByRole[role].includes(right)

export const isGuest = (role: CallerRole) => role === 'guest' || role === 'guest editor'

/** The header with which a page says which team it shows. */
export const TEAM_HEADER = 'belfry-team'
