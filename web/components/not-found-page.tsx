import { Compass } from 'lucide-preact'
import { useLocation } from 'wouter-preact'
import { boot } from '../lib/boot.ts'
import { buildSignInPath } from '../lib/sign-in-path.ts'
import { ButtonLink } from './button.tsx'
import { Page } from './page.tsx'
import { IconTile } from './states.tsx'

export function NotFoundPage() {
  const [path] = useLocation()
  return (
    <Page title="Page not found" isCentered heading={<IconHeading />}>
      <div class="stack centered-text">
        <p class="muted">This page doesn't exist, or you don't have access.</p>
        <p>
          {boot.user ? (
            <ButtonLink to="/">Go to overview</ButtonLink>
          ) : (
            <ButtonLink to={buildSignInPath(path)}>Sign in</ButtonLink>
          )}
        </p>
      </div>
    </Page>
  )
}

function IconHeading() {
  return (
    <span class="icon-heading">
      <IconTile icon={Compass} />
      Page not found
    </span>
  )
}
