/** Reads what an identity provider says about a person, and decides what follows from it. This module is pure. */
import type { MappedRole, RoleMapping } from '../config/single-sign-on.ts'
import { MAX_EMAIL_LENGTH } from '../shared/limits.ts'
import { roles } from '../shared/roles.ts'

export type Claims = Readonly<Record<string, unknown>>

/** A claim name can contain dots itself, as `https://example.com/roles`. Otherwise dots lead into nested objects. */
function findClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name.split('.').reduce<unknown>((value, part) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, part)
    return isObject ? (value as Record<string, unknown>)[part] : undefined
  }, claims)
}

export const hasClaim = (claims: Claims, name: string) => findClaim(claims, name) !== undefined

/**
 * The claims of the ID token count first. An address and whether it is verified always come from the same place. The role claim can be
 * nested in an object that both places have, each with other content, so it is looked up in both and stored under its whole name.
 */
export function mergeClaims(idToken: Claims, userInfo: Claims, roleClaim: string | undefined): Claims {
  const { email, email_verified } = hasClaim(idToken, 'email') ? idToken : userInfo
  const roles = roleClaim !== undefined && {
    [roleClaim]: findClaim(hasClaim(idToken, roleClaim) ? idToken : userInfo, roleClaim),
  }
  return { ...userInfo, ...idToken, ...roles, email, email_verified }
}

/** The values of a claim that is a string or a list of strings. */
export function readRoleValues(claims: Claims, name: string): string[] {
  return [findClaim(claims, name)].flat().filter((value) => typeof value === 'string')
}

export interface ClaimedEmail {
  email: string
  /** Whether the provider has verified that the address belongs to the person. Providers that don't say so haven't. */
  isVerified: boolean
}

const emailPattern = /^[^\s@<>,]+@[^\s@<>,]+$/

export function parseEmailAddress(text: string): string | undefined {
  const email = text.trim()
  return email.length <= MAX_EMAIL_LENGTH && emailPattern.test(email) && !/\p{C}/u.test(email) ? email : undefined
}

export function readEmail(claims: Claims): ClaimedEmail | undefined {
  const { email: text, email_verified: isVerified } = claims
  const email = typeof text === 'string' ? parseEmailAddress(text) : undefined
  return email === undefined ? undefined : { email, isVerified: isVerified === true }
}

/**
 * Ignores only the case of ASCII letters. PostgreSQL finds accounts with its own rules for lower case, in which the Kelvin sign is a k,
 * so an address that it finds can belong to somebody else.
 */
export const isSameAddress = (a: string, b: string) => foldAsciiCase(a) === foldAsciiCase(b)

const foldAsciiCase = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** The account whose address PostgreSQL considers equal to that of the person, ignoring case. */
export interface MatchedAccount {
  email: string
  isEmailConfirmed: boolean
  /** Whether another identity of the same provider can already sign in as this account. */
  hasIdentity: boolean
}

export type FirstSignIn = 'link' | 'create' | 'link by hand' | 'no email' | 'no account'

/**
 * What happens when somebody signs in whom Belfry doesn't know yet. Only if both sides have verified the address is it certain
 * that the account belongs to the same person. Another identity of the same provider means that the address was given to
 * somebody else.
 */
export function decideFirstSignIn(
  claimed: ClaimedEmail | undefined,
  account: MatchedAccount | undefined,
  createsUsers: boolean,
): FirstSignIn {
  if (claimed === undefined) return createsUsers ? 'no email' : 'no account'
  if (account === undefined) return createsUsers ? 'create' : 'no account'
  const isCertain = claimed.isVerified && account.isEmailConfirmed && isSameAddress(claimed.email, account.email)
  if (isCertain && !account.hasIdentity) return 'link'
  // Without new accounts, the response doesn't tell whether the address has an account.
  return createsUsers ? 'link by hand' : 'no account'
}

export interface WantedMembership {
  teamId: number
  /** null: the person is not a member. */
  role: MappedRole | null
}

/** Returns one entry for each team that the map names. Of several roles in a team, the one with the most rights counts. */
export function listWantedMemberships(roleMap: readonly RoleMapping[], values: readonly string[]): WantedMembership[] {
  const teamIds = [...new Set(roleMap.map(({ teamId }) => teamId))].sort((a, b) => a - b)
  return teamIds.map((teamId) => {
    const matching = roleMap.filter((entry) => entry.teamId === teamId && values.includes(entry.claimValue))
    return {
      teamId,
      role: (roles.find((role) => matching.some((entry) => entry.role === role)) ?? null) as MappedRole | null,
    }
  })
}
