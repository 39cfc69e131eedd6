import { Page } from '../components/page.tsx'

export function SignInPage() {
  return <Page title="Sign in">{null}</Page>
}
