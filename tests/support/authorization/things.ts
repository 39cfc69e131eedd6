/** The users of the authorization tests, and the owner's things. */
import { randomBytes } from 'node:crypto'
import { startSession } from '../../../src/accounts/sign-in.ts'
import type { Role } from '../../../src/shared/roles.ts'
import { hashCheaply } from '../cheap-hash.ts'
import type { Client } from '../client.ts'
import type { TestServer, TestUser } from '../server.ts'
import {
  MONITOR_URL,
  newInvitation,
  newMaintenance,
  newSlug,
  newUpdate,
  PASSWORD,
  type RouteRow,
  type Things,
} from './table.ts'

/** Part of every name, URL and address of the owner. A response that contains it shows the owner's data. */
export const OWNER_MARK = 'ownermark'

export interface Cast {
  owner: TestUser
  stranger: TestUser
  admin: TestUser
}

/** All tests share these users. The user `visitor` only signs in. */
export async function createCast(server: TestServer): Promise<Cast> {
  await server.createUser('visitor')
  return {
    owner: await server.createUser(OWNER_MARK),
    stranger: await server.createUser('stranger'),
    admin: await server.createUser('admin', { isAdmin: true }),
  }
}

const domainOf = (privacy: string, n: number | string = '') => `${privacy}${n}.${OWNER_MARK}.example`

async function createId(client: Client, path: string, body: object): Promise<number> {
  const response = await client.post(path, body)
  if (response.status > 201) throw new Error(`${path} → ${response.status} ${response.text}`)
  return response.body.data.id
}

const createMonitor = ({ session }: TestUser) =>
  createId(session, '/api/monitors', { friendly_name: OWNER_MARK, url: `${MONITOR_URL}${OWNER_MARK}` })

const createChannel = ({ session }: TestUser) =>
  createId(session, '/api/providers', { provider_type: 'email', recipient_email: `${OWNER_MARK}@example.com` })

const createKey = ({ session }: TestUser) =>
  createId(session, '/api/keys', { name: OWNER_MARK, scopes: ['monitors:read'] })

const createWebsite = ({ session }: TestUser, domain: string, privacy: number) =>
  createId(session, '/api/v1/websites', { domain, privacy, ...(privacy === 2 && { password: PASSWORD }) })

async function createAssignedPair(owner: TestUser): Promise<{ monitorId: number; channelId: number }> {
  const [monitorId, channelId] = await Promise.all([createMonitor(owner), createChannel(owner)])
  await owner.session.post(`/api/monitors/${monitorId}/notifications`, { provider_id: channelId })
  return { monitorId, channelId }
}

const createMaintenance = ({ session }: TestUser) =>
  createId(session, '/api/maintenances', { ...newMaintenance, title: OWNER_MARK })

let freshCount = 0

/** Adds a new user to the owner's team. */
async function createMember(server: TestServer, owner: TestUser): Promise<number> {
  const { id } = await server.createUser(`member-${++freshCount}`)
  await addMember(server, owner, id, 'viewer')
  return id
}

export async function addMember(
  { services: { db } }: TestServer,
  { id: teamId }: TestUser,
  userId: number,
  role: Role,
): Promise<void> {
  await db.query(`insert into team_members (team_id, user_id, role, joined_at) values ($1, $2, $3, now())`, [
    teamId,
    userId,
    role,
  ])
}

async function createSession({ clock, services: { db } }: TestServer, { id }: TestUser): Promise<number> {
  await startSession(db, id, clock)
  const [row] = await db.query<{ id: number }>('select max(id) as id from sessions where user_id = $1', [id])
  return row?.id as number
}

/** A passkey that nobody can sign in with. */
async function createPasskey({ services: { db } }: TestServer, { id }: TestUser): Promise<number> {
  const [row] = await db.query<{ id: number }>(
    `insert into passkeys (user_id, credential_id, public_key, counter, transports, is_backed_up, name, created_at)
     values ($1, $2, '', 0, '{}', false, '${OWNER_MARK}', now())
     returning id`,
    [id, randomBytes(16)],
  )
  return row?.id as number
}
const createInvitation = ({ id, session }: TestUser) =>
  createId(session, `/api/teams/${id}/invitations`, newInvitation())

const createTeam = ({ session }: TestUser) => createId(session, '/api/teams', { name: OWNER_MARK })

/** The page is private, so that other users can't see its public address either. */
const createStatusPage = ({ session }: TestUser) =>
  createId(session, '/api/status-pages', { slug: newSlug(), title: OWNER_MARK, privacy: 1 })

async function createPageWithPrivacy({ session }: TestUser, privacy: number): Promise<string> {
  const slug = newSlug()
  const password = privacy === 2 && { password: PASSWORD }
  await createId(session, '/api/status-pages', { slug, title: OWNER_MARK, privacy, ...password })
  return slug
}

/** Creates a post with two updates, because the first update of a post can't be deleted. */
async function createPost(
  { session }: TestUser,
  statusPageId: number,
): Promise<{ postId: number; postUpdateId: number }> {
  const path = `/api/status-pages/${statusPageId}/posts`
  const postId = await createId(session, path, { title: OWNER_MARK, body: OWNER_MARK })
  return {
    postId,
    postUpdateId: await createId(session, `${path}/${postId}/updates`, { ...newUpdate, body: OWNER_MARK }),
  }
}

const createPostTemplate = ({ session }: TestUser) =>
  createId(session, '/api/status-post-templates', { name: OWNER_MARK, title: OWNER_MARK, body: OWNER_MARK })

/** No checker runs, so the row is inserted directly. The incident has its own monitor, because other requests check the shared one. */
async function createIncident({ services: { db } }: TestServer, owner: TestUser): Promise<number> {
  const [row] = await db.query<{ id: number }>(
    `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at)
     values ($1, $2, 'timeout', '${OWNER_MARK}', now(), now())
     returning id`,
    [owner.id, await createMonitor(owner)],
  )
  return row?.id as number
}

const createNote = ({ session }: TestUser, incidentId: number) =>
  createId(session, `/api/incidents/${incidentId}/notes`, { text: OWNER_MARK })

/** Nobody can subscribe without a mail server, so the row is inserted directly. */
async function createSubscriber(
  { services: { db } }: TestServer,
  { id }: TestUser,
  statusPageId: number,
): Promise<number> {
  const email = `subscriber-${++freshCount}-${OWNER_MARK}@example.com`
  const [row] = await db.query<{ id: number }>(
    `insert into status_subscribers (user_id, page_id, email, email_key, state, all_monitors, created_at)
     values ($1, $2, $3, $3, 'pending', true, now())
     returning id`,
    [id, statusPageId, email.toLowerCase()],
  )
  return row?.id as number
}

export async function createThings(server: TestServer, { owner }: Cast): Promise<Things> {
  // Every page shows the names of the caller's teams, also to guests.
  await owner.session.call('PATCH', `/api/teams/${owner.id}`, { json: { name: 'The team' } })
  const [pair, maintenanceId, statusPageId, keyId, target, ...createdWebsiteIds] = await Promise.all([
    createAssignedPair(owner),
    createMaintenance(owner),
    createStatusPage(owner),
    createKey(owner),
    server.createUser(`target-${OWNER_MARK}`),
    createWebsite(owner, domainOf('public'), 0),
    createWebsite(owner, domainOf('private'), 1),
    createWebsite(owner, domainOf('locked'), 2),
  ])
  const [publicId = 0, privateId = 0, lockedId = 0] = createdWebsiteIds
  // Verifying a hash that the server creates takes 45 ms, and many requests send this password.
  await server.services.db.query('update websites set password_hash = $2 where id = $1', [
    lockedId,
    await hashCheaply(PASSWORD),
  ])
  const incidentId = await createIncident(server, owner)
  return {
    ...pair,
    incidentId,
    noteId: await createNote(owner, incidentId),
    maintenanceId,
    statusPageId,
    ...(await createPost(owner, statusPageId)),
    subscriberId: await createSubscriber(server, owner, statusPageId),
    postTemplateId: await createPostTemplate(owner),
    keyId,
    userId: target.id,
    teamId: owner.id,
    memberId: await createMember(server, owner),
    sessionId: await createSession(server, owner),
    passkeyId: await createPasskey(server, owner),
    invitationId: await createInvitation(owner),
    websiteIds: { public: publicId, private: privateId, locked: lockedId },
    domains: { public: domainOf('public'), private: domainOf('private'), locked: domainOf('locked') },
    slugs: {
      public: await createPageWithPrivacy(owner, 0),
      private: await createPageWithPrivacy(owner, 1),
      locked: await createPageWithPrivacy(owner, 2),
    },
  }
}

export const unknownThings: Things = {
  monitorId: 900_000_001,
  incidentId: 900_000_014,
  noteId: 900_000_015,
  channelId: 900_000_002,
  maintenanceId: 900_000_008,
  statusPageId: 900_000_009,
  postId: 900_000_010,
  postUpdateId: 900_000_011,
  postTemplateId: 900_000_012,
  subscriberId: 900_000_013,
  keyId: 900_000_003,
  userId: 900_000_004,
  teamId: 900_000_016,
  memberId: 900_000_017,
  sessionId: 900_000_018,
  passkeyId: 900_000_019,
  invitationId: 900_000_018,
  websiteIds: { public: 900_000_005, private: 900_000_006, locked: 900_000_007 },
  domains: { public: 'public.unknown.example', private: 'private.unknown.example', locked: 'locked.unknown.example' },
  slugs: { public: 'unknown-public', private: 'unknown-private', locked: 'unknown-locked' },
}

/**
 * Returns new things for a request that deletes them, or that sends a test notification, which the server allows only a
 * few times. All other requests share the same things.
 */
export async function freshThings(server: TestServer, { owner }: Cast, row: RouteRow, things: Things): Promise<Things> {
  const { route } = row
  if (!route.startsWith('DELETE') && !route.endsWith('/test')) return things
  const n = ++freshCount
  if (route.includes('/api/v1/websites/'))
    return {
      ...things,
      websiteIds: { ...things.websiteIds, private: await createWebsite(owner, domainOf('fresh', n), 1) },
    }
  if (route.includes('/api/incidents/')) return { ...things, noteId: await createNote(owner, things.incidentId) }
  if (route.includes('/api/maintenances')) return { ...things, maintenanceId: await createMaintenance(owner) }
  if (route.includes('/subscribers/'))
    return { ...things, subscriberId: await createSubscriber(server, owner, things.statusPageId) }
  if (route.includes('/posts/')) return { ...things, ...(await createPost(owner, things.statusPageId)) }
  if (route.includes('/api/status-post-templates'))
    return { ...things, postTemplateId: await createPostTemplate(owner) }
  if (route.includes('/api/status-pages')) return { ...things, statusPageId: await createStatusPage(owner) }
  if (route.includes('/api/keys')) return { ...things, keyId: await createKey(owner) }
  if (route.includes('/members/')) return { ...things, memberId: await createMember(server, owner) }
  if (route.includes('/invitations/')) return { ...things, invitationId: await createInvitation(owner) }
  if (route.includes('/api/teams')) return { ...things, teamId: await createTeam(owner) }
  if (route.includes('/api/sessions')) return { ...things, sessionId: await createSession(server, owner) }
  if (route.includes('/api/account/passkeys')) return { ...things, passkeyId: await createPasskey(server, owner) }
  if (route.includes('/api/users')) return { ...things, userId: (await server.createUser(`fresh-${n}`)).id }
  return { ...things, ...(await createAssignedPair(owner)) }
}
