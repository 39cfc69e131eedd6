import { Lock } from 'lucide-preact'
import type { ComponentType } from 'preact'
import { can, currentRole, type Permission, roleLabels, teams } from '../lib/team.ts'
import { ButtonLink } from './button.tsx'
import { Page } from './page.tsx'
import { IconTile } from './states.tsx'

/** The page, or for users whose role doesn't allow it, an explanation. */
export function forRole<P extends object>(permission: Permission, GuardedPage: ComponentType<P>): ComponentType<P> {
  return can(permission) ? GuardedPage : RoleNotice
}

function RoleNotice() {
  const team = teams.find(({ is_current }) => is_current)
  return (
    <Page title="Not allowed" isCentered heading={<IconHeading />}>
      <div class="stack centered-text">
        <p class="muted">
          Your role in {team?.name ?? 'this team'} is {roleLabels[currentRole]}, which doesn't allow this. Ask an owner
          or admin of the team.
        </p>
        <p>
          <ButtonLink to="/">Go to overview</ButtonLink>
        </p>
      </div>
    </Page>
  )
}

function IconHeading() {
  return (
    <span class="icon-heading">
      <IconTile icon={Lock} />
      Not allowed
    </span>
  )
}
