import { Link } from 'wouter-preact'
import { Page } from '../components/page.tsx'
import { boot } from '../lib/boot.ts'

export function NotFoundPage() {
  return (
    <Page title="Page not found" isNarrow>
      <div class="stack">
        <p>This page doesn't exist, or you don't have access.</p>
        <p>{boot.user ? <Link href="/">Go to overview</Link> : <Link href="/sign-in">Sign in</Link>}</p>
      </div>
    </Page>
  )
}
