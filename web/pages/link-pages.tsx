/** Pages that links in emails lead to, for people with and without a session. */
import { Route, Switch } from 'wouter-preact'
import { lazyPage } from '../components/lazy-page.tsx'
import { NotFoundPage } from '../components/not-found-page.tsx'

const ConfirmEmailPage = lazyPage<{ token: string }>(() => import('./confirm-email.tsx'))
const ForgotPasswordPage = lazyPage(() => import('./forgot-password.tsx'))
const InvitationPage = lazyPage<{ token: string }>(() => import('./invitation.tsx'))
const ResetPasswordPage = lazyPage<{ token: string }>(() => import('./reset-password.tsx'))

export default function LinkPages() {
  return (
    <Switch>
      <Route path="/forgot-password">
        <ForgotPasswordPage />
      </Route>
      <Route path="/reset-password/:token">{({ token }) => <ResetPasswordPage token={token} />}</Route>
      <Route path="/confirm-email/:token">{({ token }) => <ConfirmEmailPage token={token} />}</Route>
      <Route path="/invitations/:token">{({ token }) => <InvitationPage token={token} />}</Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  )
}
