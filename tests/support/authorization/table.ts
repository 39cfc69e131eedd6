/** The authorization table: which rule each route has. `outcomes.ts` says what each kind of caller gets under a rule. */

/** The owner's things that requests are about. A request about unknown things has ids and a domain that don't exist. */
export interface Things {
  monitorId: number
  /** An ongoing incident of another monitor of the owner, and a note about it. */
  incidentId: number
  noteId: number
  maintenanceId: number
  statusPageId: number
  postId: number
  postUpdateId: number
  postTemplateId: number
  subscriberId: number
  channelId: number
  keyId: number
  userId: number
  /** The owner's own team, and a member of it. */
  teamId: number
  memberId: number
  sessionId: number
  passkeyId: number
  /** An invitation to this team. */
  invitationId: number
  /** The ids of websites, by their privacy setting. */
  websiteIds: { public: number; private: number; locked: number }
  domains: { public: string; private: string; locked: string }
  /** The slugs of status pages, by their privacy setting. */
  slugs: { public: string; private: string; locked: string }
}

export interface RouteRow {
  /** `GET /api/monitors/:id`. Several methods are separated by `|`. A HEAD route follows the rule of its GET route. */
  route: string
  /** A column of an outcome table, or the scopes that a key needs. */
  rule: string
  /** The status of an allowed request. */
  status: number
  /**
   * The status that a user gets for another user's things. The default is 404 if the path names the things, otherwise
   * `status`.
   */
  strangerStatus: number
  query: string | ((things: Things) => string)
  body: ((things: Things) => object) | undefined
}

type RowOptions = Partial<Pick<RouteRow, 'status' | 'strangerStatus' | 'query' | 'body'>>

function row(route: string, rule: string, options: RowOptions = {}): RouteRow {
  const { status = 200, query = '', body } = options
  return { route, rule, status, strangerStatus: route.includes(':') ? 404 : status, query, body, ...options }
}

export const PASSWORD = 'correct horse battery'
/** A monitor of this URL can't be reached, because monitors may not connect to private addresses. */
export const MONITOR_URL = 'http://127.0.0.1:9/'

let counter = 0
const newDomain = () => `site-${++counter}.example.org`
export const newSlug = () => `page-${++counter}`
const newEmail = () => `user-${++counter}@example.org`
export const newInvitation = () => ({ email: newEmail(), role: 'viewer' })

const setUpForm = { token: 'wrong', email: 'ada@example.com', password: PASSWORD }
const newMonitor = { friendly_name: 'Shop', url: MONITOR_URL }
export const newMaintenance = { title: 'Deployment', duration_seconds: 1_800, all_monitors: true }
export const newChannel = { provider_type: 'email', recipient_email: 'ops@example.org' }
const newPost = { title: 'Slow payments', body: 'We are looking into it.' }
export const newUpdate = { state: 'identified', body: 'We found the cause.' }
const credential = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' }
const pageView = { name: 'pageview', domain: 'unknown.example', url: 'https://unknown.example/' }
const DOMAIN = String.raw`/:domain(^(?:[^\x2f]*[.][^\x2f]*|localhost)$)`
const UPDATES = '/api/status-pages/:id/posts/:post_id/updates'
const NUMBER = String.raw`:id(^\d+$)`

export const routeRows: RouteRow[] = [
  row('GET /api/v1/websites', 'websites:read'),
  row('POST /api/v1/websites', 'websites:write', { status: 201, body: () => ({ domain: newDomain() }) }),
  row('GET /api/v1/websites/:id', 'websites:read'),
  row('PUT /api/v1/websites/:id', 'websites:write', { body: () => ({ favorite: true }) }),
  row('PATCH /api/v1/websites/:id', 'websites:write', { body: () => ({ favorite: true }) }),
  row('DELETE /api/v1/websites/:id', 'websites:write'),
  row('POST /api/v1/websites/:id/silence/replay', 'websites:write'),
  row('POST /api/v1/websites/:id/verify', 'websites:write'),
  row('GET /api/v1/websites/:id/dropped', 'websites:read'),
  row('GET /api/v1/websites/:id/outages', 'websites:read'),
  row('GET /api/v1/websites/:id/arrivals', 'session'),
  // This request sends an unknown time zone, so it creates nothing: generating sample data for every caller would take
  // too long. So there is no sample data to delete either.
  row('PUT /api/sample-data', 'session', { status: 422, body: () => ({ time_zone: 'Nowhere' }) }),
  row('DELETE /api/sample-data', 'session', { status: 404 }),
  row('GET /api/v1/websites/:id/exclusions', 'websites:read', { query: '?exclude_params=ref' }),
  ...['public', 'private', 'locked'].flatMap((privacy) => [
    row('GET /api/v1/stats/:id', privacy, { query: '?name=page' }),
    row('GET /api/v1/stats/:id/overview', privacy),
    // The test server doesn't fetch icons.
    row('GET /api/v1/websites/:id/favicon', privacy, { status: 204 }),
    row('POST /api/v1/stats/:id/unlock', `unlock ${privacy}`, { body: () => ({ password: PASSWORD }) }),
    row(`GET ${DOMAIN}`, privacy),
    row(`GET ${DOMAIN}/settings`, `settings ${privacy}`),
  ]),
  row(`GET ${DOMAIN}/`, 'page', { status: 301, strangerStatus: 301 }),

  row('GET /api/monitors', 'monitors:read'),
  row('POST /api/monitors', 'monitors:write', { status: 201, body: () => newMonitor }),
  row('POST /api/monitors/bulk', 'monitors:write', {
    body: ({ monitorId }) => ({ ids: [monitorId], action: 'pause' }),
  }),
  row('POST /api/monitors/try', 'monitors:write', { body: () => ({ url: MONITOR_URL }) }),
  row('POST /api/monitors/try', 'monitors:write', {
    body: ({ monitorId }) => ({ monitor_id: monitorId }),
    strangerStatus: 422,
  }),
  row('GET /api/monitors/:id', 'monitors:read'),
  row('PUT /api/monitors/:id', 'monitors:write', { body: () => ({ friendly_name: 'Shop 2' }) }),
  row('PATCH /api/monitors/:id', 'monitors:write', { body: () => ({ friendly_name: 'Shop 2' }) }),
  row('DELETE /api/monitors/:id', 'monitors:write'),
  row('POST /api/monitors/:id/check', 'monitors:write'),
  row('GET /api/monitors/:id/checks', 'monitors:read'),
  row('GET /api/monitors/:id/uptime', 'monitors:read'),
  row('GET /api/monitors/:id/incidents', 'monitors:read'),
  row('GET /api/monitors/:id/posts', 'status:read'),
  // None of the owner's websites has the host of the monitor.
  row('GET /api/monitors/:id/incidents/:incident_id/visits', 'monitors:read', { status: 404 }),
  row('GET /api/monitors/:id/beats', 'monitors:read'),
  row('GET /api/incidents', 'monitors:read'),
  row('GET /api/incidents/:id', 'monitors:read'),
  row('POST /api/incidents/:id/acknowledge', 'monitors:write'),
  row('POST /api/incidents/:id/notes', 'monitors:write', { status: 201, body: () => ({ text: 'Disk full' }) }),
  row('DELETE /api/incidents/:id/notes/:note_id', 'monitors:write'),
  row('GET /api/maintenances', 'monitors:read'),
  row('POST /api/maintenances', 'monitors:write', { status: 201, body: () => newMaintenance }),
  row('GET /api/maintenances/:id', 'monitors:read'),
  row('PUT /api/maintenances/:id', 'monitors:write', { body: () => ({ title: 'Upgrade' }) }),
  row('PATCH /api/maintenances/:id', 'monitors:write', { body: () => ({ title: 'Upgrade' }) }),
  row('POST /api/maintenances/:id/end', 'monitors:write'),
  row('DELETE /api/maintenances/:id', 'monitors:write'),
  row('GET /api/status-pages', 'status:read'),
  row('POST /api/status-pages', 'status:write', { status: 201, body: () => ({ slug: newSlug(), title: 'Shop' }) }),
  row('GET /api/status-pages/:id', 'status:read'),
  row('PUT /api/status-pages/:id', 'status:write', { body: () => ({ title: 'Shop 2' }) }),
  row('PATCH /api/status-pages/:id', 'status:write', { body: () => ({ title: 'Shop 2' }) }),
  row('DELETE /api/status-pages/:id', 'status:write'),
  // The page of the test has no domain.
  row('POST /api/status-pages/:id/check-domain', 'status:write', { status: 422 }),
  row('POST /api/status-pages/preview', 'session', {
    body: ({ monitorId }) => {
      const groups = [{ name: 'All', monitors: [{ monitor_id: monitorId }] }]
      return { draft: JSON.stringify({ slug: 'draft', title: 'Draft', groups }) }
    },
    strangerStatus: 422,
  }),
  row('GET|PUT|PATCH|DELETE /api/status-pages/preview', 'anyone', { status: 405 }),
  row('GET /api/status-pages/:id/preview', 'session'),
  // The page has no logo, and the request has no image.
  row('GET /api/status-pages/:id/logo', 'status:read', { status: 404 }),
  row('PUT /api/status-pages/:id/logo', 'status:write', { status: 415, strangerStatus: 415 }),
  row('DELETE /api/status-pages/:id/logo', 'status:write', { status: 404 }),
  row('GET /api/status-pages/:id/posts', 'status:read'),
  row('POST /api/status-pages/:id/posts', 'status:write', { status: 201, body: () => newPost }),
  row('GET /api/status-pages/:id/posts/:post_id', 'status:read'),
  row('PUT /api/status-pages/:id/posts/:post_id', 'status:write', { body: () => newPost }),
  row('PATCH /api/status-pages/:id/posts/:post_id', 'status:write', { body: () => newPost }),
  row('DELETE /api/status-pages/:id/posts/:post_id', 'status:write'),
  row(`GET ${UPDATES}`, 'status:read'),
  row(`POST ${UPDATES}`, 'status:write', { status: 201, body: () => newUpdate }),
  row(`GET ${UPDATES}/:update_id`, 'status:read'),
  row(`PUT ${UPDATES}/:update_id`, 'status:write', { body: () => newUpdate }),
  row(`PATCH ${UPDATES}/:update_id`, 'status:write', { body: () => newUpdate }),
  row(`DELETE ${UPDATES}/:update_id`, 'status:write'),
  row('GET /api/status-pages/:id/subscribers', 'status:read'),
  row('DELETE /api/status-pages/:id/subscribers/:subscriber_id', 'status:write'),
  row('GET /api/status-post-templates', 'status:read'),
  row('POST /api/status-post-templates', 'status:write', { status: 201, body: () => ({ name: 'x', ...newPost }) }),
  row('GET /api/status-post-templates/:id', 'status:read'),
  row('PUT /api/status-post-templates/:id', 'status:write', { body: () => newPost }),
  row('PATCH /api/status-post-templates/:id', 'status:write', { body: () => newPost }),
  row('DELETE /api/status-post-templates/:id', 'status:write'),
  row('GET|PUT|PATCH|DELETE /api/monitors/bulk', 'anyone', { status: 405 }),
  row('GET|PUT|PATCH|DELETE /api/monitors/try', 'anyone', { status: 405 }),

  row('GET /api/providers', 'providers:read'),
  row('POST /api/providers', 'providers:write', { status: 201, body: () => newChannel }),
  row('GET /api/providers/:id', 'providers:read'),
  row('PUT /api/providers/:id', 'providers:write', { body: () => ({ name: 'Ops' }) }),
  row('PATCH /api/providers/:id', 'providers:write', { body: () => ({ name: 'Ops' }) }),
  row('DELETE /api/providers/:id', 'providers:write'),
  // The server has no SMTP server.
  row('POST /api/providers/:id/test', 'providers:write', { status: 502 }),
  row('POST /api/providers/test', 'providers:write', { status: 502, body: () => newChannel }),
  row('GET|PUT|PATCH|DELETE /api/providers/test', 'anyone', { status: 405 }),

  row('GET /api/monitors/:id/notifications', 'monitors:read + providers:read'),
  row('GET /api/monitors/:id/notifications/log', 'monitors:read + providers:read'),
  row('POST /api/monitors/:id/notifications', 'monitors:write + providers:read', {
    body: ({ channelId }) => ({ provider_id: channelId }),
  }),
  row('DELETE /api/monitors/:id/notifications', 'monitors:write + providers:read', {
    body: ({ channelId }) => ({ provider_id: channelId }),
  }),
  row('GET /api/providers/:id/monitors', 'monitors:read + providers:read'),
  row('POST /api/providers/:id/monitors', 'monitors:write + providers:read', {
    body: ({ monitorId }) => ({ monitor_ids: [monitorId] }),
  }),
  row('DELETE /api/providers/:id/monitors', 'monitors:write + providers:read', {
    body: ({ monitorId }) => ({ monitor_ids: [monitorId] }),
  }),

  row('GET /api/keys', 'any scope'),
  row('GET /api/keys/:id', 'any scope'),
  // A key can only manage keys within its own scopes. The created and the deleted key have only the scope monitors:read.
  row('POST /api/keys', 'monitors:read', { status: 201, body: () => ({ name: 'x', scopes: ['monitors:read'] }) }),
  row('DELETE /api/keys/:id', 'monitors:read'),

  row('GET /api/overview', 'session'),
  row('GET /api/overview/response-times', 'session', { query: ({ monitorId }) => `?monitors=${monitorId}` }),
  row('GET /api/live', 'session'),
  row('GET /api/live', 'session', { query: ({ monitorId }) => `?monitor=${monitorId}`, strangerStatus: 404 }),
  row('GET /api/live', 'session', { query: ({ incidentId }) => `?incident=${incidentId}`, strangerStatus: 404 }),
  row('GET /api/live', 'session', { query: ({ websiteIds }) => `?website=${websiteIds.private}`, strangerStatus: 404 }),
  row('POST /api/session', 'form', { body: () => ({ email: 'visitor@example.com', password: PASSWORD }) }),
  row('GET /api/session', 'session'),
  row('DELETE /api/session', 'session'),
  row('GET /api/account', 'session'),
  // The server of the test has no single sign-on, so no account is linked.
  row('GET /api/account/identity', 'session'),
  row('POST /api/account/identity', 'session', { status: 409 }),
  row('DELETE /api/account/identity', 'session', { status: 404 }),
  row('GET /api/sign-in-methods', 'anyone'),
  row('GET /sign-in/single-sign-on', 'anyone', { status: 404 }),
  row('GET /sign-in/single-sign-on/callback', 'page', { status: 404 }),
  row('POST /sign-in/single-sign-on/logout', 'anyone', { status: 404, body: () => ({ logout_token: 'x' }) }),
  row('PATCH /api/account', 'session', { body: () => ({ group_alerts: true }) }),
  row('PUT /api/account/password', 'session', {
    body: () => ({ current_password: PASSWORD, new_password: PASSWORD }),
  }),

  // No sign-in has this token.
  row('POST /api/session/second-factor', 'form', { status: 401, body: () => ({ token: 'wrong', code: '123456' }) }),
  // The server has an IP address, where passkeys don't work.
  row('POST /api/session/passkey/options', 'form', { status: 409 }),
  row('POST /api/session/passkey', 'form', {
    status: 401,
    body: () => ({
      attempt: 'wrong',
      credential: { ...credential, response: { clientDataJSON: '', authenticatorData: '', signature: '' } },
    }),
  }),
  row('GET /api/sessions', 'session'),
  row('DELETE /api/sessions', 'session'),
  row('DELETE /api/sessions/:id', 'session'),
  row('GET /api/account/security', 'session'),
  row('POST /api/account/totp', 'session', { body: () => ({ current_password: PASSWORD }) }),
  row('PUT /api/account/totp', 'session', { status: 422, body: () => ({ code: 'wrong' }) }),
  // Nobody has an authenticator app.
  row('POST /api/account/totp/disable', 'session', { status: 409, body: () => ({ current_password: PASSWORD }) }),
  row('POST /api/account/recovery-codes', 'session', {
    body: () => ({ current_password: PASSWORD }),
    strangerStatus: 409,
  }),
  row('POST /api/account/passkeys/options', 'session', { status: 409 }),
  row('POST /api/account/passkeys', 'session', {
    status: 409,
    body: () => ({
      attempt: 'wrong',
      credential: { ...credential, response: { clientDataJSON: '', attestationObject: '' } },
      name: 'Phone',
    }),
  }),
  row('PATCH /api/account/passkeys/:id', 'session', { body: () => ({ name: 'Phone' }) }),
  row('DELETE /api/account/passkeys/:id', 'session'),
  row('PATCH|DELETE /api/account/passkeys/options', 'anyone', { status: 405 }),

  row('PUT /api/session', 'session', { body: ({ teamId }) => ({ team_id: teamId }), strangerStatus: 404 }),

  row('GET /api/teams', 'session'),
  row('POST /api/teams', 'session', { status: 201, body: () => ({ name: 'Shop' }) }),
  row('GET /api/teams/:id', 'session'),
  row('PATCH /api/teams/:id', 'session', { body: () => ({ name: 'Shop' }) }),
  row('DELETE /api/teams/:id', 'session'),
  row('GET /api/teams/:id/members', 'session'),
  row('PATCH /api/teams/:id/members/:user_id', 'session', { body: () => ({ role: 'viewer' }) }),
  row('DELETE /api/teams/:id/members/:user_id', 'session'),
  row('GET /api/audit', 'session'),
  row('GET /api/teams/:id/invitations', 'session'),
  row('POST /api/teams/:id/invitations', 'session', { status: 201, body: newInvitation }),
  row('DELETE /api/teams/:id/invitations/:invitation_id', 'session'),
  // No link has the token `wrong`.
  row('POST /api/invitations/preview', 'form', { status: 404, body: () => ({ token: 'wrong' }) }),
  row('POST /api/invitations/accept', 'link', { status: 404, body: () => ({ token: 'wrong', password: PASSWORD }) }),
  row('POST /api/password-reset', 'form', { status: 202, body: () => ({ email: newEmail() }) }),
  row('POST /api/password-reset/confirm', 'form', {
    status: 404,
    body: () => ({ token: 'wrong', new_password: PASSWORD }),
  }),
  // The server has no SMTP server.
  row('PUT /api/account/email', 'session', {
    status: 409,
    body: () => ({ email: newEmail(), current_password: PASSWORD }),
  }),
  row('POST /api/account/confirm-email', 'session', { status: 409 }),
  row('POST /api/confirm-email', 'session', { status: 404, body: () => ({ token: 'wrong' }) }),

  // The owner has no other team.
  row('POST /api/v1/websites/:id/move', 'session', { status: 422, body: ({ teamId }) => ({ team_id: teamId }) }),
  row('POST /api/monitors/:id/move', 'session', { status: 422, body: ({ teamId }) => ({ team_id: teamId }) }),

  row('GET /api/server/problems', 'admin'),
  row('GET /api/server/go-live', 'admin'),
  row('GET /api/server/settings', 'admin'),
  row('GET /api/server/private-targets', 'admin', { query: '?host=127.0.0.1' }),
  row('PUT /api/server/settings/url', 'admin', { status: 422, body: () => ({ url: 'nowhere' }) }),
  row('DELETE /api/server/settings/url', 'admin'),
  row('PUT /api/server/settings/mail', 'admin', { status: 422, body: () => ({ host: '?' }) }),
  row('DELETE /api/server/settings/mail', 'admin'),
  row('POST /api/server/settings/mail/test', 'admin', { status: 409 }),
  row('PUT /api/server/settings/single-sign-on', 'admin', {
    status: 422,
    body: () => ({ issuer: 'nowhere', client_id: 'belfry' }),
  }),
  row('DELETE /api/server/settings/single-sign-on', 'admin'),
  row('POST /api/server/settings/single-sign-on/test', 'admin', { status: 409 }),
  row('PUT /api/server/settings/backups', 'admin', { body: () => ({ made_elsewhere: false }) }),
  row('GET /api/users', 'admin'),
  row('POST /api/users', 'admin', { status: 201, body: () => ({ email: newEmail(), password: PASSWORD }) }),
  row('GET /api/users/:id', 'admin'),
  row('DELETE /api/users/:id', 'admin'),

  row('POST /api/setup', 'anyone', { status: 403, body: () => setUpForm }),
  row('GET /setup', 'anyone', { status: 403 }),
  row('POST /setup', 'anyone', { status: 403, body: () => setUpForm }),
  row('POST /api/event', 'anyone', { status: 202, body: () => pageView }),
  row('OPTIONS /api/event', 'anyone', { status: 204 }),
  // No heartbeat has the token `1`.
  row('GET|POST /acknowledge/:token', 'anyone', { status: 404 }),
  row('GET|POST /beat/:token', 'anyone', { status: 404 }),
  row('GET|POST /beat/:token/:signal', 'anyone', { status: 404 }),
  row('GET /api/block-emails', 'anyone', { status: 404, query: '?token=wrong' }),
  row('POST /api/block-emails', 'anyone', { status: 404, query: '?token=wrong', body: () => ({ action: 'block' }) }),
  row('GET|POST /api/unsubscribe', 'anyone', { status: 404, query: '?token=wrong' }),
  ...['public', 'private', 'locked'].flatMap((privacy) =>
    ['', '.json', '.atom', '.rss', '/feed.json', '/badge.svg', '/history'].map((form) =>
      row(`GET /status/:slug${form}`, `status ${privacy}`),
    ),
  ),
  // The pages have no logo and no monitor, and no page has the slug `:slug`.
  row('GET /status/:slug/history/:month', 'page', { status: 404 }),
  row('GET /status/:slug/history/:month.json', 'page', { status: 404 }),
  row('GET /status/:slug/logo', 'page', { status: 404 }),
  row('GET /status/:slug/:monitor_id/badge.svg', 'page', { status: 404 }),
  row('GET /status/:slug/', 'page', { status: 404 }),
  row('POST /status/:slug/unlock', 'form', { status: 404, body: () => ({ password: PASSWORD }) }),
  // No page has this slug, and no subscriber this token.
  row('GET /status/:slug/subscribe', 'anyone', { status: 404 }),
  row('POST /status/:slug/subscribe', 'form', { status: 404, body: () => ({ email: newEmail() }) }),
  row('GET|POST /status/:slug/confirm', 'anyone', { status: 404, query: '?token=wrong' }),
  row('GET|POST /status/:slug/manage', 'anyone', { status: 404, query: '?token=wrong' }),
  row('GET|POST /status/:slug/unsubscribe', 'anyone', { status: 404, query: '?token=wrong' }),
  row('GET /metrics', 'metrics'),
  row('GET /healthz', 'anyone'),
  row('GET /readyz', 'anyone'),
  row('GET /api/openapi.json', 'anyone'),
  row('GET /docs', 'anyone'),
  row('GET /docs/viewer.js', 'anyone'),
  row('GET /b.js', 'anyone'),
  row('GET /icon.svg', 'anyone'),
  row('GET /favicon.ico', 'anyone', { status: 404 }),
  row('GET /apple-touch-icon.png', 'anyone'),
  row('GET /app-icon-192.png', 'anyone'),
  row('GET /app-icon-512.png', 'anyone'),
  row('GET /app-icon-maskable-512.png', 'anyone'),
  row('GET /manifest.webmanifest', 'anyone'),
  row('GET /robots.txt', 'anyone'),
  row('GET /.well-known/security.txt', 'anyone', { status: 404 }),
  row('GET /.well-known/belfry-status-page', 'anyone'),
  row('GET /.well-known/belfry-installation', 'anyone', { query: '?challenge=0123456789abcdefghijkl' }),
  row('GET /assets/*', 'anyone', { status: 404 }),
  row('GET /status/:font.woff2', 'anyone', { status: 404 }),
  row('GET /', 'page'),
  row('GET /sign-in', 'page'),
  row('GET /account', 'page'),
  row('GET /account/server', 'page'),
  row('GET /account/security', 'page'),
  row('GET /account/server/single-sign-on', 'page'),
  row('GET /audit', 'page'),
  row('GET /confirm-email/:token', 'page'),
  row('GET /forgot-password', 'page'),
  row('GET /invitations/:token', 'page'),
  row('GET /reset-password/:token', 'page'),
  row('GET /team', 'page'),
  row('GET /teams/new', 'page'),
  row('GET /incidents', 'page'),
  row(`GET /incidents/${NUMBER}`, 'page'),
  row('GET /monitors', 'page'),
  row('GET /monitors/new', 'page'),
  row(`GET /monitors/${NUMBER}`, 'page'),
  row(`GET /monitors/${NUMBER}/edit`, 'page'),
  row('GET /websites/new', 'page'),
  row('GET /maintenance', 'page'),
  row('GET /maintenance/new', 'page'),
  row(`GET /maintenance/${NUMBER}`, 'page'),
  row('GET /notification-channels', 'page'),
  row('GET /notification-channels/new', 'page'),
  row(`GET /notification-channels/${NUMBER}`, 'page'),
  row('GET /providers', 'page', { status: 301 }),
  row('GET /providers/new', 'page', { status: 301 }),
  row(`GET /providers/${NUMBER}`, 'page', { status: 301, strangerStatus: 301 }),
  row('GET /status-pages', 'page'),
  row('GET /status-pages/new', 'page'),
  row('GET /status-pages/posts/new', 'page'),
  row(`GET /status-pages/${NUMBER}`, 'page'),
  row(`GET /status-pages/${NUMBER}/posts`, 'page'),
  row(`GET /status-pages/${NUMBER}/posts/new`, 'page'),
  row(String.raw`GET /status-pages/:id(^\d+$)/posts/:post(^\d+$)`, 'page'),
  row(`GET /status-pages/${NUMBER}/subscribers`, 'page'),
  row('GET /keys', 'page'),
  row('GET /users', 'page'),
]
