/** What each role of the owner's team may do, and what guests see. */
import { type Expectation, urlOf } from './expectation.ts'
import type { RouteRow } from './table.ts'

type Role = 'admin' | 'editor' | 'viewer' | 'guest'
type Shared = 'website' | 'status page'

/** What a caller is in the owner's team. */
export interface Membership {
  role: Role
  /** What was shared with a guest: the owner's private website, or the status page. */
  shared?: Shared
  canEdit?: boolean
  isKey: boolean
}

/** What a request needs. Compare `src/shared/roles.ts`. */
type Need = 'account' | 'read' | 'edit shared' | 'edit' | 'manage' | 'own'

/** The first line that matches counts. Other requests need `read` if their method is GET, and otherwise `edit`. */
const needs: [RegExp, Need][] = [
  [/^PATCH \/api\/account$/, 'edit'],
  [/^\w+ \/api\/(account|confirm-email|sessions?|invitations)\b/, 'account'],
  [/^(GET|POST) \/api\/teams$|^GET \/api\/teams\/:id$/, 'account'],
  [/^DELETE \/api\/teams\/:id$/, 'own'],
  [/^GET \/api\/teams\/:id\/members$/, 'read'],
  [/^POST .*\/move$/, 'manage'],
  [/ \/api\/teams\/|^GET \/api\/audit/, 'manage'],
  [/^POST \/api\/(v1\/websites\/:id\/silence\/replay|status-pages\/preview)$|^(POST|DELETE) \/api\/keys/, 'read'],
  [/^(PUT|PATCH) \/api\/(v1\/websites|status-pages)\/:id$/, 'edit shared'],
  [/^POST \/api\/v1\/websites\/:id\/verify$/, 'edit shared'],
  [/^(PUT|POST|PATCH|DELETE) \/api\/status-pages\/:id\/(posts|logo|check-domain)/, 'edit shared'],
  [/^(GET|HEAD) /, 'read'],
]

const findNeed = (row: RouteRow, method: string): Need => {
  const route = `${method} ${urlOf(row)}`
  return needs.find(([pattern]) => pattern.test(route))?.[1] ?? 'edit'
}

const memberNeeds: Need[] = ['account', 'read']
const needsByRole: Record<Role, Need[]> = {
  admin: [...memberNeeds, 'edit shared', 'edit', 'manage'],
  editor: [...memberNeeds, 'edit shared', 'edit'],
  viewer: memberNeeds,
  guest: memberNeeds,
}

const isAllowed = ({ role, canEdit }: Membership, need: Need) =>
  needsByRole[role].includes(need) || (canEdit === true && need === 'edit shared')

/** Whether the response may show what belongs to the team, although the caller is a guest. */
function isShared({ shared }: Membership, row: RouteRow): boolean {
  const url = urlOf(row)
  // The name of the team, and the own account.
  if (/^\/api\/(teams(\/:id)?|session|account)$/.test(url)) return true
  if (shared === 'website') {
    const isAboutWebsite = /^\/api\/v1\/(websites|stats)\/:id|^\/:domain/.test(url) && !/public$|locked$/.test(row.rule)
    return (
      isAboutWebsite ||
      ['/api/v1/websites', '/api/overview'].includes(url) ||
      String(row.query).includes('websiteIds.private')
    )
  }
  // The pages that have rules such as `status private` are other ones.
  return (
    /^\/api\/status-pages(\/:id|$)/.test(url) && !url.includes('/subscribers') && url !== '/api/status-pages/preview'
  )
}

/** Rules of requests that everybody may send, or that have nothing to do with a team. */
const isAboutTeam = ({ rule }: RouteRow) => !['anyone', 'form', 'page', 'admin', 'metrics'].includes(rule)

/** Whether the request is about what belongs to the owner as a person, and so is hidden from the other members. */
const isPersonal = (row: RouteRow) =>
  /^\/api\/(account\/(passkeys\/:id|recovery-codes)|sessions\/:id)$/.test(urlOf(row))

const notFound: Expectation = { status: 404, code: 'not_found', missingScopes: [], isAllowed: false }
const forbidden: Expectation = { status: 403, code: 'forbidden', missingScopes: [], isAllowed: false }

/** `expectFor` says what the owner and a stranger would get. */
export function expectMember(
  membership: Membership,
  row: RouteRow,
  method: string,
  expectFor: (kind: string) => Expectation,
): Expectation {
  const ownersExpectation = expectFor(membership.isKey ? "owner's key" : 'owner')
  if (!ownersExpectation.isAllowed || !isAboutTeam(row)) return ownersExpectation
  const isAboutStatistics = /public$|private$|locked$/.test(row.rule)
  if (!isAboutStatistics && !isAllowed(membership, findNeed(row, method))) {
    return namesHiddenThing(membership, row) ? notFound : forbidden
  }
  // A key is the business of its user, and of those who manage the team.
  if (urlOf(row).startsWith('/api/keys/:id') && membership.role !== 'admin') return notFound
  if (sees(membership, row)) return ownersExpectation
  // The list of a status page's subscribers is empty for guests.
  if (membership.shared === 'status page' && row.route === 'GET /api/status-pages/:id/subscribers')
    return ownersExpectation
  return expectFor(membership.isKey ? "stranger's key" : 'stranger')
}

/** What a guest can't read looks as if it didn't exist, even if they may not change it. */
const namesHiddenThing = (membership: Membership, row: RouteRow) =>
  /^\/api\/(v1\/websites|monitors|incidents|providers|maintenances|status-pages|status-post-templates)\/:id/.test(
    urlOf(row),
  ) &&
  !sees(membership, row) &&
  // Guests see the page itself.
  !(membership.shared === 'status page' && row.route.includes('/api/status-pages/:id/subscribers'))

/** Whether the caller may see what the request is about. */
export function sees(membership: Membership, row: RouteRow): boolean {
  return !isPersonal(row) && (membership.role !== 'guest' || isShared(membership, row))
}
