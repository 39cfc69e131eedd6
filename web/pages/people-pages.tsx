/** Pages about teams, and how people sign in. They are opened rarely, so their names aren't part of the script that every page waits for. */
import { Route, Switch } from 'wouter-preact'
import { forRole } from '../components/for-role.tsx'
import { lazyPage } from '../components/lazy-page.tsx'

const AuditPage = forRole(
  'manage',
  lazyPage(() => import('./audit.tsx')),
)
const NewTeamPage = lazyPage(() => import('./new-team.tsx'))
const SecurityPage = lazyPage(() => import('./security.tsx'))
const SingleSignOnPage = lazyPage(() => import('./single-sign-on.tsx'))
const TeamPage = lazyPage(() => import('./team.tsx'))

export default function PeoplePages() {
  return (
    <Switch>
      <Route path="/team">
        <TeamPage />
      </Route>
      <Route path="/teams/new">
        <NewTeamPage />
      </Route>
      <Route path="/audit">
        <AuditPage />
      </Route>
      <Route path="/account/security">
        <SecurityPage />
      </Route>
      <Route path="/account/server/single-sign-on">
        <SingleSignOnPage />
      </Route>
    </Switch>
  )
}
