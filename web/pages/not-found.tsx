import { Link } from 'wouter-preact'
import { Page } from '../components/page.tsx'
import { boot } from '../lib/boot.ts'

export function NotFound() {
  return (
    <Page title="Nothing here" isNarrow>
      <div class="stack">
        <p>There is no such page, or it is not for you to see.</p>
        <p>
          {boot.user ? <Link href="/">Go to the overview</Link> : <Link href="/sign-in">Sign in, if it is yours</Link>}
        </p>
      </div>
    </Page>
  )
}
