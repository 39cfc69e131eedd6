/** The settings of single sign-on by OpenID Connect, and their parsers. The environment or an admin's page can set them. */

import { isLoopbackHostname } from '../shared/reach.ts'
import { type Role as MemberRole, roles as memberRoles } from '../shared/roles.ts'

/** Members with a certain value in the role claim get this role in the team. */
export interface RoleMapping {
  readonly claimValue: string
  readonly teamId: number
  readonly role: MappedRole
}

/** A guest sees only what was shared with them, which an identity provider can't know. */
export type MappedRole = Exclude<MemberRole, 'guest'>
const mappedRoles: readonly string[] = memberRoles.filter((role) => role !== 'guest')

export interface SingleSignOnConfig {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: string
  /** What the button on the sign-in page says. */
  readonly label: string
  /** The claim from which roles are read, such as `groups` or `realm_access.roles`. */
  readonly roleClaim: string | undefined
  readonly roleMap: readonly RoleMapping[]
  /** Whether people without an account get one when they sign in. */
  readonly createsUsers: boolean
  /** Whether nobody can sign in with a password or a passkey. */
  readonly isOnly: boolean
}

/** The address is used exactly as the provider spells it: it is part of every identity. */
export function parseIssuerUrl(text: string): string {
  const url = URL.parse(text)
  const hasExtras = url !== null && (url.search || url.hash || url.username || url.password)
  if (url === null || hasExtras || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('must be an https URL such as https://id.example.com/realms/main, without a query or fragment')
  }
  if (/\/\.well-known\//.test(url.pathname)) {
    throw new Error('must not contain /.well-known/; enter only the part of the URL before it')
  }
  if (!isHttpsOrLoopback(url)) throw new Error('must begin with https, unless the provider runs on this machine')
  return text
}

/** Tokens and the client secret must not cross a network without encryption. */
export function isHttpsOrLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHostname(hostname))
}

export function parseScopes(text: string): string {
  const scopes = text.split(/[\s,]+/).filter(Boolean)
  if (!scopes.includes('openid')) throw new Error('must contain openid, such as: openid email profile')
  const wrong = scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
  if (wrong !== undefined) throw new Error(`contains "${wrong}", which is not a scope`)
  return scopes.join(' ')
}

export const MAX_LABEL_LENGTH = 50

export function parseLabel(text: string): string {
  const isValid = text.length >= 1 && text.length <= MAX_LABEL_LENGTH && !/\p{C}/u.test(text)
  if (!isValid) throw new Error(`must have 1 to ${MAX_LABEL_LENGTH} visible characters`)
  return text
}

/** Parses entries such as `belfry-admins=1:admin, staff=1:viewer`. A claim value can contain "=", because the last one counts. */
export function parseRoleMap(text: string): RoleMapping[] {
  const entries = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  if (entries.length === 0) throw new Error('must be a list of entries such as belfry-admins=1:admin')
  return entries.map((entry) => {
    const [, claimValue = '', digits, role = ''] = /^(.*)=\s*(\d{1,15})\s*:\s*(\w+)$/.exec(entry) ?? []
    const teamId = Number(digits)
    if (claimValue.trim() === '' || !(teamId >= 1)) {
      throw new Error(
        `contains "${entry}", which must look like claim value=team id:role, such as belfry-admins=1:admin`,
      )
    }
    if (!mappedRoles.includes(role)) {
      throw new Error(`contains the role "${role}", which must be one of ${mappedRoles.join(', ')}`)
    }
    return { claimValue: claimValue.trim(), teamId, role: role as MappedRole }
  })
}
