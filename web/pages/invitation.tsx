/** What the link of an invitation opens: for people with and without an account, signed in or not. */
import { useQuery } from '@tanstack/preact-query'
import { MailX, UsersRound } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../src/shared/limits.ts'
import type { Role } from '../../src/shared/roles.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { TextField } from '../components/field.tsx'
import { IconHeading, MessagePage } from '../components/message-page.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { ProblemNotice } from '../components/problem-notice.tsx'
import { ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { DateTime } from '../components/time.tsx'
import { api, type ItemResponse, isNotFound } from '../lib/api.ts'
import { boot } from '../lib/boot.ts'
import { queryKeys } from '../lib/queries.ts'
import { ownRoleHints } from '../lib/role-hints.ts'
import { roleLabels } from '../lib/role-labels.ts'
import { useSignInMethods } from '../lib/sign-in.ts'
import { buildSignInPath } from '../lib/sign-in-path.ts'
import { reloadAllTabs } from '../lib/sign-out.ts'
import { showProblem } from '../lib/toasts.ts'
import { useForm } from '../lib/use-form.ts'

interface Invitation {
  team_name: string
  role: Role
  email: string
  invited_by: string | null
  expires_at: string
}

interface InvitationProps {
  invitation: Invitation
  token: string
}

export default function InvitationPage({ token }: { token: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.invitation(token),
    queryFn: async () => (await api.post<ItemResponse<Invitation>>('api/invitations/preview', { token })).data,
    // The link works once. After it was used, the page must not replace its message.
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (isNotFound(error)) {
    return (
      <MessagePage title="This invitation doesn't work any more" icon={MailX}>
        <p>Invitations work once, for 48 hours. Ask the person who invited you for a new one.</p>
        <p>
          <ButtonLink to="/">Go to Belfry</ButtonLink>
        </p>
      </MessagePage>
    )
  }
  const title = data === undefined ? 'Invitation' : `Join ${data.team_name}`
  return (
    <Page title={title} isCentered heading={<IconHeading icon={UsersRound} text={title} />}>
      {data !== undefined ? (
        <div class="panel stack">
          <Summary invitation={data} />
          <Acceptance invitation={data} token={token} />
        </div>
      ) : error === null ? (
        <Loading what="invitation">
          <Skeleton height="16rem" />
        </Loading>
      ) : (
        <ErrorState error={error} retry={() => void refetch()} />
      )}
    </Page>
  )
}

function Summary({ invitation: { team_name, role, email, invited_by, expires_at } }: { invitation: Invitation }) {
  return (
    <div class="stack">
      <p>
        {invited_by === null ? 'You are invited' : <strong>{invited_by}</strong>}
        {invited_by !== null && ' invites you'} to <strong>{team_name}</strong> as{' '}
        <strong>{roleLabels[role].toLowerCase()}</strong>.
      </p>
      <p class="muted small">
        {ownRoleHints[role]} The invitation is for {email} and expires <DateTime at={expires_at} />.
      </p>
    </div>
  )
}

function Acceptance({ invitation, token }: InvitationProps) {
  if (boot.user === null) return <NewAccount invitation={invitation} token={token} />
  const isInvited = boot.user.email.toLowerCase() === invitation.email.toLowerCase()
  return isInvited ? <Join token={token} /> : <OtherAccount email={boot.user.email} />
}

function Join({ token }: { token: string }) {
  const form = useForm({}, async () => {
    await api.post('api/invitations/accept', { token })
    reloadAllTabs()
  })
  return (
    <form class="form" onSubmit={form.submit}>
      <ProblemNotice problem={form.problem} />
      <Button kind="primary" type="submit" busy={form.busy}>
        Join team
      </Button>
    </form>
  )
}

function OtherAccount({ email }: { email: string }) {
  const [isBusy, setBusy] = useState(false)
  async function signOutHere() {
    setBusy(true)
    try {
      await api.delete('api/session')
      location.reload()
    } catch (error) {
      setBusy(false)
      showProblem(error)
    }
  }
  return (
    <div class="form">
      <Notice tone="warn">You are signed in as {email}, so this invitation isn't for your account.</Notice>
      <Button busy={isBusy} onClick={() => void signOutHere()}>
        Sign out and continue
      </Button>
    </div>
  )
}

function NewAccount({ invitation: { email }, token }: InvitationProps) {
  const { data: methods } = useSignInMethods()
  const form = useForm({ password: '' }, async ({ password }) => {
    await api.post('api/invitations/accept', { token, password })
    reloadAllTabs()
  })
  const signInPath = buildSignInPath(`/invitations/${token}`)
  if (methods?.password === false) {
    return (
      <ButtonLink kind="primary" to={signInPath}>
        Sign in to join
      </ButtonLink>
    )
  }
  if (form.problem?.code === 'conflict') {
    return (
      <div class="form">
        <Notice tone="warn" role="alert">
          {form.problem.message}
        </Notice>
        <a class="button button-primary" href={signInPath.slice(1)}>
          Sign in to join
        </a>
      </div>
    )
  }
  return (
    <form class="form" method="post" onSubmit={form.submit}>
      {/* Tells password managers which account the password belongs to. */}
      <input type="hidden" name="username" autocomplete="username" value={email} />
      <TextField
        label="Choose a password"
        hint={`For your new account ${email}. At least ${MIN_PASSWORD_LENGTH} characters.`}
        type="password"
        name="password"
        autocomplete="new-password"
        minLength={MIN_PASSWORD_LENGTH}
        maxLength={MAX_PASSWORD_LENGTH}
        required
        value={form.values.password}
        errors={form.errorsFor('password')}
        onValue={(password) => form.set('password', password)}
      />
      <ProblemNotice problem={form.problem} fieldsWithOwnErrors={['password']} />
      <Button kind="primary" type="submit" busy={form.busy}>
        Create account and join
      </Button>
      <p class="small centered-text muted">
        Already have an account? <a href={signInPath.slice(1)}>Sign in</a>
      </p>
    </form>
  )
}
