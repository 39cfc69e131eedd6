/** The routes of all pages. */
import { QueryClientProvider } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { Route, Router, Switch, useLocation } from 'wouter-preact'
import { ConnectionNotice } from './components/connection-notice.tsx'
import { forRole } from './components/for-role.tsx'
import { lazyPage, lazyPart } from './components/lazy-page.tsx'
import { NotFoundPage } from './components/not-found-page.tsx'
import { ServerProblems } from './components/server-problems.tsx'
import { SessionEnded } from './components/session-ended.tsx'
import { Toasts } from './components/toasts.tsx'
import { SiteHeader } from './header/site-header.tsx'
import { basePath, boot } from './lib/boot.ts'
import { queryClient } from './lib/queries.ts'
import { isDomain } from './lib/sign-in-path.ts'
import { isSecondFactorNeeded } from './lib/team.ts'
import { OverviewPage } from './pages/overview.tsx'

// Shown only to people without a session. Nothing is shown before it, because it has the height of a short form.
const LinkPages = lazyPart(() => import('./pages/link-pages.tsx'))
const SignInPage = lazyPart(() => import('./pages/sign-in.tsx'))
const SecondFactorNeeded = lazyPage(() => import('./components/second-factor-needed.tsx'))
const AccountPage = lazyPage(() => import('./pages/account.tsx'))
const IncidentPage = forRole(
  'browse',
  lazyPage<{ id: number }>(() => import('./pages/incident.tsx')),
)
const IncidentsPage = forRole(
  'browse',
  lazyPage(() => import('./pages/incidents.tsx')),
)
const KeysPage = forRole(
  'browse',
  lazyPage(() => import('./pages/keys.tsx')),
)
const MaintenanceFormPage = forRole(
  'edit',
  lazyPage<{ id?: number }>(() => import('./pages/maintenance-form.tsx')),
)
const MaintenancePage = forRole(
  'browse',
  lazyPage(() => import('./pages/maintenance.tsx')),
)
const MonitorPage = forRole(
  'browse',
  lazyPage<{ id: number }>(() => import('./pages/monitor.tsx')),
)
const MonitorFormPage = forRole(
  'edit',
  lazyPage<{ id?: number }>(() => import('./pages/monitor-form.tsx')),
)
const MonitorsPage = forRole(
  'browse',
  lazyPage(() => import('./pages/monitors.tsx')),
)
const NewWebsitePage = forRole(
  'edit',
  lazyPage(() => import('./pages/new-website.tsx')),
)
const ChannelPage = forRole(
  'edit',
  lazyPage<{ id?: number }>(() => import('./pages/channel.tsx')),
)
const NewStatusPostPage = forRole(
  'edit shared',
  lazyPage<{ pageId: number }>(() => import('./pages/status-page-new-post.tsx')),
)
const ChannelsPage = forRole(
  'browse',
  lazyPage(() => import('./pages/channels.tsx')),
)
const ServerSettingsPage = lazyPage(() => import('./pages/server-settings.tsx'))
const StatusPageChoicePage = forRole(
  'edit shared',
  lazyPage(() => import('./pages/status-page-choice.tsx')),
)
const StatusPageEditorPage = forRole(
  'edit shared',
  lazyPage<{ id?: number }>(() => import('./pages/status-page.tsx')),
)
const StatusPagesPage = lazyPage(() => import('./pages/status-pages.tsx'))
const StatusPostPage = lazyPage<{ pageId: number; postId: number }>(() => import('./pages/status-page-post.tsx'))
const StatusPostsPage = lazyPage<{ pageId: number }>(() => import('./pages/status-page-posts.tsx'))
const SubscribersPage = forRole(
  'browse',
  lazyPage<{ pageId: number }>(() => import('./pages/status-page-subscribers.tsx')),
)
const PeoplePages = lazyPage(() => import('./pages/people-pages.tsx'))
const UsersPage = lazyPage(() => import('./pages/users.tsx'))
const WebsitePage = lazyPage<{ domain: string }>(() => import('./pages/website.tsx'))
const WebsiteSettingsPage = forRole(
  'edit shared',
  lazyPage<{ domain: string }>(() => import('./pages/website-settings.tsx')),
)

const parseId = (text: string) => (/^[1-9]\d*$/.test(text) ? Number(text) : undefined)

export function WebApp() {
  return (
    <QueryClientProvider client={queryClient}>
      <Router base={basePath}>
        <SiteHeader />
        <ServerProblems />
        <Pages />
        <ConnectionNotice />
        <SessionEnded />
        <Toasts />
      </Router>
    </QueryClientProvider>
  )
}

/** What links in emails lead to, for people with and without a session. */
const LINK_PATHS = /^\/(?:forgot-password|reset-password|confirm-email|invitations)(?:\/|$)/

function Pages() {
  return (
    <Switch>
      <Route path={LINK_PATHS}>
        <LinkPages />
      </Route>
      <Route path="/:domain">
        {({ domain }) => (isDomain(domain) ? <WebsitePage domain={domain} key={domain} /> : <SignedInPages />)}
      </Route>
      <Route>
        <SignedInPages />
      </Route>
    </Switch>
  )
}

const PEOPLE_PATHS = /^\/(?:team|teams\/new|audit|account\/security|account\/server\/single-sign-on)$/

/** Pages about the user and not about the team. */
const ACCOUNT_PATHS = /^\/(?:account(?:\/security)?|teams\/new)$/

/** Without a session, all paths below show the sign-in form. Signing in then opens the requested page. */
function SignedInPages() {
  const [path] = useLocation()
  if (boot.user === null) return <SignInPage />
  if (isSecondFactorNeeded && !ACCOUNT_PATHS.test(path)) return <SecondFactorNeeded />
  return (
    <Switch>
      <Route path="/">
        <OverviewPage />
      </Route>
      <Route path="/sign-in">
        <OverviewPage />
      </Route>
      <Route path="/account">
        <AccountPage />
      </Route>
      <Route path="/account/server">
        <ServerSettingsPage />
      </Route>
      <Route path={PEOPLE_PATHS}>
        <PeoplePages />
      </Route>
      <Route path="/keys">
        <KeysPage />
      </Route>
      <Route path="/users">
        <UsersPage />
      </Route>
      <Route path="/maintenance">
        <MaintenancePage />
      </Route>
      <Route path="/maintenance/new">
        <MaintenanceFormPage />
      </Route>
      <Route path="/maintenance/:id">
        {({ id }) => renderWithId(id, (id) => <MaintenanceFormPage id={id} key={id} />)}
      </Route>
      <Route path="/incidents">
        <IncidentsPage />
      </Route>
      <Route path="/incidents/:id">{({ id }) => renderWithId(id, (id) => <IncidentPage id={id} key={id} />)}</Route>
      <Route path="/monitors">
        <MonitorsPage />
      </Route>
      <Route path="/monitors/new">
        <MonitorFormPage />
      </Route>
      <Route path="/monitors/:id">{({ id }) => renderWithId(id, (id) => <MonitorPage id={id} key={id} />)}</Route>
      <Route path="/monitors/:id/edit">
        {({ id }) => renderWithId(id, (id) => <MonitorFormPage id={id} key={id} />)}
      </Route>
      <Route path="/notification-channels">
        <ChannelsPage />
      </Route>
      <Route path="/notification-channels/new">
        <ChannelPage />
      </Route>
      <Route path="/notification-channels/:id">
        {({ id }) => renderWithId(id, (id) => <ChannelPage id={id} key={id} />)}
      </Route>
      <Route path="/status-pages">
        <StatusPagesPage />
      </Route>
      <Route path="/status-pages/new">
        <StatusPageEditorPage />
      </Route>
      <Route path="/status-pages/:id">
        {({ id }) => renderWithId(id, (id) => <StatusPageEditorPage id={id} key={id} />)}
      </Route>
      <Route path="/status-pages/posts/new">
        <StatusPageChoicePage />
      </Route>
      <Route path="/status-pages/:id/posts">
        {({ id }) => renderWithId(id, (id) => <StatusPostsPage pageId={id} key={id} />)}
      </Route>
      <Route path="/status-pages/:id/posts/new">
        {({ id }) => renderWithId(id, (id) => <NewStatusPostPage pageId={id} key={id} />)}
      </Route>
      <Route path="/status-pages/:id/posts/:post">
        {({ id, post }) =>
          renderWithId(id, (id) =>
            renderWithId(post, (post) => <StatusPostPage pageId={id} postId={post} key={post} />),
          )
        }
      </Route>
      <Route path="/status-pages/:id/subscribers">
        {({ id }) => renderWithId(id, (id) => <SubscribersPage pageId={id} key={id} />)}
      </Route>
      <Route path="/websites/new">
        <NewWebsitePage />
      </Route>
      <Route path="/:domain/settings">
        {({ domain }) => (isDomain(domain) ? <WebsiteSettingsPage domain={domain} key={domain} /> : <NotFoundPage />)}
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  )
}

function renderWithId(text: string, render: (id: number) => ComponentChildren) {
  const id = parseId(text)
  return id === undefined ? <NotFoundPage /> : render(id)
}
